"""An evening with four phones and nothing else. It uses the installed package, in the words of the page's scripts."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

URL = "http://127.0.0.1:8080/api/"
ANSWER_S = 30


class Phone:
    """A phone, which keeps its cookies."""

    def __init__(self) -> None:
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open

    def ask(self, do: str, **args: object) -> Any:
        return self._send("ask", do=do, **args)

    def become_host(self) -> None:
        self._send("host/session")

    def host(self, do: str, **args: object) -> Any:
        return self._send("host/do", do=do, **args)

    def pay(self, payment: str, game: int, from_: int, to: int, amount: str) -> str:
        args = {"payment": payment, "game": game, "from": from_, "to": to, "amount": amount}
        return str(self.ask("ask_payment", **args)["state"])

    def _send(self, path: str, **body: object) -> Any:
        request = urllib.request.Request(URL + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with self._open(request, timeout=ANSWER_S) as answer:
                return json.loads(answer.read() or b"{}").get("ok")
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{path} {body}: {error.read().decode()}") from None


def main() -> None:
    """Play from the first phone to the ranking."""
    family = anna, ben, chloe, david = [Phone() for _ in range(4)]
    anna.ask("join", card=1)
    code = anna.ask("join_code")["code"]
    for card, phone in enumerate(family[1:], start=2):
        phone.ask("join", card=card, code=code)
    anna.become_host()
    game = anna.host("new_game", edition="classic-de", same_players=True)["game"]
    for card, name in enumerate(["Anna", "Ben", "Chloe", "David"], start=1):
        anna.host("name", card=card, name=name)
    states = [
        anna.pay("the salary", game, 0, 1, "200"),
        ben.pay("the rent", game, 2, 1, "150"),
        chloe.pay("a demand", game, 4, 3, "40"),
        david.ask("confirm_payment", payment="a demand")["state"],
        david.pay("to everyone", game, 4, 10, "10"),
    ]
    chloe.become_host()
    ended = chloe.host("end_game", game=game, worths={"2": 1000})
    ranking = [place["name"] for place in ended["ranking"]]
    print(states, ranking)
    assert states == ["booked", "booked", "asked", "booked", "booked"]
    assert ranking == ["Ben", "Anna", "Chloe", "David"]


if __name__ == "__main__":
    main()
