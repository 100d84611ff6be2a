from __future__ import annotations

import asyncio

from starlette.requests import Request

from reboard.web.event_stream import HEARTBEAT, HEARTBEAT_S, EventStreams, server_sent, sse_response
from reboard_sim.virtual_time import run

LISTENING = Request({"type": "http", "method": "GET"})


def test_an_event_is_one_line_of_data_whatever_is_in_it() -> None:
    assert server_sent({"a": "one\ntwo"}) == b'data: {"a":"one\\ntwo"}\n\n'
    assert server_sent([], "past") == b"event: past\ndata: []\n\n"


def test_everybody_hears_what_is_published_after_what_was_first() -> None:
    async def main() -> None:
        streams = EventStreams()
        one, two = streams.stream(lambda: [b"first"]), streams.stream(tuple)
        assert await anext(one) == b"first"
        waiting = asyncio.ensure_future(anext(two))
        await asyncio.sleep(0)
        streams.publish(b"news")
        assert await anext(one) == b"news"
        assert await waiting == b"news"
        await one.aclose()
        await two.aclose()

    run(main)


def test_silence_is_broken_by_a_heartbeat() -> None:
    async def main() -> None:
        stream = EventStreams().stream(tuple)
        began = asyncio.get_running_loop().time()
        assert await anext(stream) == HEARTBEAT
        assert asyncio.get_running_loop().time() - began >= HEARTBEAT_S
        await stream.aclose()

    run(main)


def test_a_client_that_is_too_slow_gets_what_is_waiting_and_is_cut_off() -> None:
    async def main() -> None:
        streams = EventStreams(most_waiting=3)
        slow = streams.stream(lambda: [b"0"])
        assert await anext(slow) == b"0"
        for n in range(9):
            streams.publish(b"%d" % n)
        assert [event async for event in slow] == [b"0", b"1", b"2"]

    run(main)


def test_one_client_too_many_is_turned_away_and_has_a_place_when_another_goes() -> None:
    async def main() -> None:
        streams = EventStreams(most_clients=1)
        first = streams.stream(lambda: [b"hello"])
        await anext(first)
        assert sse_response(LISTENING, streams).status_code == 503
        await first.aclose()
        assert sse_response(LISTENING, streams).status_code == 200

    run(main)


def test_all_streams_end_when_the_page_stops_and_none_begins() -> None:
    async def main() -> None:
        streams = EventStreams()
        stream = streams.stream(lambda: [b"hello"])
        await anext(stream)
        streams.end_all()
        assert [event async for event in stream] == []
        assert [event async for event in streams.stream(tuple)] == []
        assert sse_response(LISTENING, streams).status_code == 503

    run(main)


def test_who_asks_for_the_head_alone_gets_no_stream() -> None:
    answer = sse_response(Request({"type": "http", "method": "HEAD"}), EventStreams())
    assert (answer.media_type, answer.body) == ("text/event-stream", b"")
