"""The connection to a real broker: what it delivers, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import replace
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from reboard.config.mqtt import BrokerAddress
from reboard.mqtt import broker as module
from reboard.mqtt.broker import Will, connected
from reboard.mqtt.broker_errors import DELIVERED, FORBIDDEN, NO_SUBSCRIBER, BrokerError, Cause
from tests.mosquitto import MakeMosquitto, free_port, make_certificate, openssl
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

ACL = "user table-1\ntopic readwrite reboard/table-1/#\n\nuser hall\ntopic readwrite reboard/#\n"
USERS = {"table-1": "one", "hall": "all"}


async def fails(address: BrokerAddress) -> BrokerError:
    with pytest.raises(BrokerError) as caught:
        async with connected(address, "reboard-table-1"):
            pass
    return caught.value


async def test_reason_codes_tell_delivered_from_dropped_and_forbidden(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto(users=USERS, acl=ACL)
    async with connected(broker.address("table-1"), "one") as table, connected(broker.address("hall"), "hall") as hall:
        assert await table.publish("reboard/table-1/transfer", b"{}") == NO_SUBSCRIBER
        await hall.subscribe("reboard/+/transfer")
        assert await table.publish("reboard/table-1/transfer", b"1", correlation=b"x") == DELIVERED
        assert await table.publish("reboard/table-2/transfer", b"2") == FORBIDDEN
        [message] = await hall.receive()
        assert (message.topic, message.payload, message.correlation) == ("reboard/table-1/transfer", b"1", b"x")


async def test_a_message_that_was_not_acknowledged_comes_again(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto()
    async with connected(broker.address(), "hall", session_s=60) as hall, connected(broker.address(), "one") as table:
        await hall.subscribe("t")
        for number in b"123":
            await table.publish("t", bytes([number]))
        hall.acknowledge((await hall.receive())[0])
    async with connected(broker.address(), "hall", session_s=60) as hall:
        again = [message.payload for _ in range(2) for message in await hall.receive()]
    assert again == [b"2", b"3"]


async def test_the_will_is_published_only_if_the_connection_is_lost(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto()
    async with connected(broker.address(), "hall") as hall:
        await hall.subscribe("#")
        async with connected(broker.address(), "one", will=Will("left", b"in order")):
            pass
        will = Will("left", b"thrown out")
        async with connected(broker.address(), "one", will=will), connected(broker.address(), "one"):
            [message] = await hall.receive()
    assert message.payload == b"thrown out"


@pytest.mark.parametrize("end", ["kill", "stop", "pause"])
async def test_a_lost_broker_ends_every_wait(
    make_mosquitto: MakeMosquitto, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(module, "KEEPALIVE_S", 1)
    broker = make_mosquitto()
    async with asyncio.timeout(PATIENCE_S), connected(broker.address(), "one") as table:
        broker.pause()
        waits = [asyncio.ensure_future(table.lost()), asyncio.ensure_future(table.receive())]
        waits.append(table.publish("t", b""))  # type: ignore[arg-type]
        if end != "pause":
            getattr(broker, end)()
        *ended, sent = await asyncio.gather(*waits, return_exceptions=True)
        assert [type(end) for end in ended] == [BrokerError] * 2
        # a broker that is stopped in good order can still answer to what it has received
        assert isinstance(sent, BrokerError) or end == "stop"
        with pytest.raises(BrokerError):
            await table.publish("t", b"too late")


@pytest.mark.parametrize(
    ("refuses", "code"),
    [(True, 0x85), (True, 0x88), (True, 0x9F), (False, 0x8B), (False, 0x8E), (False, 0x98), (False, 0xFE), (False, 0)],
)
async def test_a_broker_that_ends_the_connection_with_a_reason_ends_every_wait(
    monkeypatch: pytest.MonkeyPatch, refuses: bool, code: int
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        accepted, ended = bytes([0x20, 3, 0, 0, 0]), bytes([0xE0, 6, code, 4, 0x1F, 0, 1, 0x20] if code else [0xE0, 0])
        writer.write(bytes([0x20, 3, 0, code, 0]) if refuses else accepted + ended)
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()

    monkeypatch.setattr(threading, "excepthook", lambda _: None)  # no broker sends 0xFE, and paho's thread ends with it
    async with await asyncio.start_server(serve, "127.0.0.1", port := free_port()):
        with pytest.raises(BrokerError, match={0x8E: "one", 0: "one", 0xFE: "."}.get(code, f"0x{code:02x}, [A-Z]")):
            async with asyncio.timeout(PATIENCE_S), connected(BrokerAddress("127.0.0.1", port), "one") as table:
                await asyncio.gather(table.lost(), table.receive())


async def test_no_bug_in_the_library_leaves_a_wait_without_end(
    make_mosquitto: MakeMosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    async with asyncio.timeout(PATIENCE_S), connected(make_mosquitto().address(), "one") as table:
        monkeypatch.setattr(paho.Client, "_packet_read", fails)
        with pytest.raises(BrokerError):
            await table.publish("t", b"")


@pytest.mark.parametrize("text", ["\ufeff", "x\ufeffy", "", "ä" * 1000, "\u2028\U0001f3b2"])
async def test_a_message_with_any_properties_arrives(make_mosquitto: MakeMosquitto, text: str) -> None:
    broker = make_mosquitto()
    sent = threading.Event()
    sender = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    sender.on_publish = lambda *_: sent.set()
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.UserProperty = [(text, text), ("a", text)]
    properties.ContentType = text
    properties.ResponseTopic = f"a{text}"
    properties.CorrelationData = b"\xff"
    properties.PayloadFormatIndicator = 1
    properties.MessageExpiryInterval = 1000
    sender.connect("127.0.0.1", broker.port)
    sender.loop_start()
    try:
        async with asyncio.timeout(PATIENCE_S), connected(broker.address(), "hall") as hall:
            sender.publish("t", b"1", qos=1, retain=True, properties=properties)
            await asyncio.to_thread(sent.wait, PATIENCE_S)
            await hall.subscribe("t")
            [message] = await hall.receive()
            assert (message.payload, message.response_topic, message.correlation) == (b"1", f"a{text}", b"\xff")
            assert await hall.publish("t", b"2") == DELIVERED
    finally:
        sender.disconnect()
        sender.loop_stop()


async def test_a_flood_fills_no_memory_and_loses_no_acknowledged_message(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto()
    async with connected(broker.address(), "one") as table, connected(broker.address(), "hall") as hall:
        await table.subscribe("t")
        for _ in range(2000):
            await hall.publish("t", bytes(1000), qos=0)
        await hall.publish("t", b"last")
        payload = b""
        while payload != b"last":
            messages = await table.receive(10_000)
            assert len(messages) <= 500
            payload = messages[-1].payload
            table.acknowledge(messages[-1])


async def test_a_wrong_password_is_a_problem_of_the_login(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto(users=USERS)
    for address in (broker.address("hall", "wrong"), broker.address("stranger", "x"), broker.address()):
        assert (await fails(address)).cause is Cause.LOGIN
    missing = replace(broker.address("hall"), password_file=Path("/nowhere/password"))
    assert (await fails(missing)).cause is Cause.LOGIN


async def test_a_password_file_from_windows_is_read(make_mosquitto: MakeMosquitto) -> None:
    address = make_mosquitto(users=USERS).address("hall")
    assert address.password_file
    password = address.password_file.read_bytes().strip()
    address.password_file.write_bytes(b"\xef\xbb\xbf" + password + b"\r\n")
    async with connected(address, "hall"):
        pass


async def test_a_broker_that_is_not_there_cannot_be_reached(make_mosquitto: MakeMosquitto) -> None:
    broker = make_mosquitto()
    problem = await fails(replace(broker.address(), port=free_port()))
    assert (problem.cause, "no broker listens" in str(problem)) == (Cause.UNREACHABLE, True)
    assert (await fails(replace(broker.address(), host="no-such-host.invalid"))).cause is Cause.UNREACHABLE


async def test_tls_names_what_is_wrong_with_a_certificate(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    broker = make_mosquitto(tls=True)
    async with connected(broker.address(), "one") as table:
        assert await table.publish("t", b"") == NO_SUBSCRIBER
    assert (await fails(replace(broker.address(), ca="system"))).cause is Cause.CERTIFICATE
    assert (await fails(replace(broker.address(), ca="/nowhere/ca.crt"))).cause is Cause.CERTIFICATE
    assert (await fails(replace(broker.address(), ca=str(broker.directory / "ca.key")))).cause is Cause.CERTIFICATE
    assert (await fails(replace(broker.address(), ca=None))).cause is Cause.UNREACHABLE
    assert (await fails(replace(make_mosquitto().address(), ca=str(broker.ca)))).cause is Cause.CERTIFICATE
    broker.stop()
    make_certificate(broker.directory, "server", "DNS:elsewhere")
    broker.start()
    assert (await fails(broker.address())).cause is Cause.CERTIFICATE


@pytest.mark.parametrize("dates", [("20200101000000Z", "20200102000000Z"), ("21000101000000Z", "21000102000000Z")])
async def test_a_certificate_of_another_time_is_a_problem_of_the_clock(
    make_mosquitto: MakeMosquitto, dates: tuple[str, str]
) -> None:
    broker = make_mosquitto(tls=True)
    broker.stop()
    (broker.directory / "index.txt").touch()
    (broker.directory / "ca.conf").write_text(
        "[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\nrand_serial=yes\n"
        "[any]\ncommonName=supplied\n"
    )
    signing = ["ca", "-batch", "-config", "ca.conf", "-cert", "ca.crt", "-keyfile", "ca.key", "-extfile", "names"]
    period = ["-startdate", dates[0], "-enddate", dates[1]]
    files = ["-in", "server.csr", "-out", "server.crt"]
    openssl(broker.directory, *signing, *period, *files)
    broker.start()
    assert (await fails(broker.address())).cause is Cause.CLOCK
