#!/bin/sh
# A mosquitto with TLS, a password for each user, and an access list with which a table can write only its own topics.
# As root on the broker's machine, which has mosquitto and reboard, with the machine's address and the tables' names:
#     sh broker.sh 192.168.1.10 table-1 table-2
# With one table more, run it again with all names: certificates and passwords that exist are kept.
set -eu
umask 077

folder=${FOLDER:-/etc/mosquitto/reboard}
settings=${SETTINGS:-/etc/mosquitto/conf.d/reboard.conf} # a test has its own, and its own mosquitto
hall=hall home_assistant=homeassistant organiser=maria

address=${1:?name the address of this machine in the network, and the tables}
shift
: "${1:?name the tables, such as table-1 table-2}"
mkdir -p "$folder"
chmod 755 "$folder"
cd "$folder"

# a certificate authority of its own, and the broker's certificate
if [ ! -e ca.crt ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
        -subj "/CN=reboard" -addext keyUsage=critical,keyCertSign -keyout ca.key -out ca.crt
fi
case $address in
    *:* | [0-9]*[0-9.]) name=IP:$address ;;
    *) name=DNS:$address ;;
esac
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=broker" -keyout broker.key -out broker.csr
echo "subjectAltName=$name" >names
openssl x509 -req -in broker.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile names -out broker.crt

touch passwords
for user in "$@" $hall $home_assistant $organiser; do
    if [ ! -e "$user.password" ]; then
        openssl rand -base64 18 >"$user.password"
        mosquitto_passwd -b passwords "$user" "$(cat "$user.password")"
    fi
done
reboard mqtt acl "$@" --hall $hall --home-assistant $home_assistant --organiser $organiser >acl

cat >"$settings" <<END
listener 8883
certfile $folder/broker.crt
keyfile $folder/broker.key
allow_anonymous false
password_file $folder/passwords
acl_file $folder/acl
autosave_interval 5
max_queued_messages 100000
END
chmod 644 ca.crt broker.crt "$settings"
if [ "$(id -u)" = 0 ]; then
    chown mosquitto acl passwords broker.key
fi
if [ -z "${SETTINGS:-}" ]; then
    systemctl restart mosquitto
fi
echo "Copy $folder/ca.crt and the file with its password to each table."
