#!/bin/sh
# Collects the Debian packages that PACKAGE needs and Raspberry Pi OS Lite lacks, with an index for apt:
#     sh collect.sh PACKAGE ARCHITECTURE FOLDER
set -eu
package=$(realpath "$1") architecture=$2 folder=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/etc/apt/preferences.d" "$root/var/lib/dpkg" "$root/var/lib/apt/lists/partial" "$root/var/cache/apt/archives/partial"
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' \
    >"$root/etc/apt/sources.list"
status=$root/var/lib/dpkg/status
: >"$status"
options="--quiet --option=Dir=$root --option=Dir::State::status=$status --option=APT::Sandbox::User=root
    --option=APT::Architecture=$architecture --option=APT::Architectures=$architecture"
install="apt-get $options --yes --no-install-recommends install"

apt-get $options update
# Raspberry Pi OS Lite has more, but not all of it in Debian's versions
has=$($install --simulate '?essential' '?priority(required)' '?priority(important)' python3 systemd-sysv polkitd |
    sed -n 's/^Inst \([^ ]*\).*/\1/p')
apt-cache $options show $has | sed 's/^Package: .*/&\nStatus: install ok installed/' >"$status.new"
mv "$status.new" "$status"
$install --download-only "$package"

mkdir -p "$folder"
cp "$root"/var/cache/apt/archives/*.deb "$folder"
cd "$folder"
dpkg-scanpackages --multiversion . >Packages
