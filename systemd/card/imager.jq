# The repository of a card image for Raspberry Pi Imager. docs/card.md has the command.
{
  os_list: [
    {
      name: "reboard",
      description: "New electronics for old board games",
      icon: "icons/cat_raspberry_pi_os.png",
      url: $url,
      extract_size: ($size | tonumber),
      extract_sha256: $sha256,
      image_download_size: ($download | tonumber),
      release_date: (now | strftime("%Y-%m-%d")),
      devices: ["pi3-64bit"],
      architecture: "armv8",
      init_format: "none"
    }
  ]
}
