# The repository of a card image for Raspberry Pi Imager, which `rpi-imager --repo imager.json` shows:
#     jq -n -f systemd/card/imager.jq --arg url https://example.com/reboard.img.xz \
#         --arg size $(stat -c %s reboard.img) --arg sha256 $(sha256sum <reboard.img | cut -c -64) \
#         --arg download $(stat -c %s reboard.img.xz) >imager.json
# It is valid by Imager's schema (72ad117). Imager itself was not tried.
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
