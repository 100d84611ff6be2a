"""The rejections of the bank. In each case no money has moved."""

from __future__ import annotations

from reboard.editions.money import AmountWhy
from reboard.errors import Why
from reboard.labels import Labels


class BankWhy(Labels):
    """The reasons to reject an input, a card or a request, in the order of the documents."""

    TOO_MUCH = Why("too much", "the balance would be too large: choose a smaller amount", "CARD IS FULL")
    NO_FUNDS = Why("no funds", "the paying card does not have enough money: raise money or pay less", "NO FUNDS")
    POT_EMPTY = Why(
        "pot empty",
        "the Free Parking pot does not have enough money: first pay into it, or take back its last payout",
        "POT IS EMPTY",
    )
    NO_CARD = Why(
        "no card",
        "a card is missing: insert it into the left slot to receive, or the right slot to pay",
        "NO CARD",
    )
    NOT_IN_THE_GAME = Why(
        "not in the game",
        "this card is not in the game: let it join first",
        "NOT IN THE GAME",
    )
    ASKED_ALREADY = Why(
        "asked already",
        "this card already has a request waiting: first withdraw it, or confirm or reject it at the table",
    )
    PHONES_OFF = Why(
        "phones off", "players do not pay with phones at this table: the host can allow it, or set `pay` in [page]"
    )
    NO_PHONE = Why("no phone", "this phone has no card: first join the game with a card")
    OTHER_CARD = Why("other card", "a phone can only ask to pay from its own card, or to get money with it")
    NOT_THE_PAYER = Why("not the payer", "only a player who pays can do this, or the host")
    CODE_NEEDED = Why(
        "code needed",
        "a phone needs the code to join: ask a player who has joined, or look at the table's display",
    )
    WRONG_CODE = Why("wrong code", "the code is wrong: check it, and type it again")
    CARD_TAKEN = Why("card taken", "another phone has this card: choose another card, or replace that phone")
    TOO_LATE = Why("too late", "players can take it back for ten seconds only: ask the host to do it")
    ID_USED = Why("id used", "this id belongs to another transfer, so no money has moved: send this one with a new id")
    ANOTHER_GAME = Why("another game", "the table plays another game now: try again")
    NO_PLAYERS = Why(
        "no players", "too few players for this: let more of them join, and play first", "NO OTHER PLAYERS"
    )
    NAME = Why("name", "this name is not allowed: choose another name")
    NAME_OF_ACCOUNT = Why("name of account", "the bank, the pot or a card has this name: choose another name")
    NAME_TAKEN = Why("name taken", "another player already has this name: choose another name")
    GAME_OVER = Why("game over", "the game has ended, and its ranking is made: start a new game first", "GAME OVER")
    UNKNOWN_CARD = Why(
        "unknown card",
        "no number of this edition is free for this card: use a card that already has a number",
        "TOO MANY CARDS",
    )
    SAME_CARD_TWICE = Why(
        "same card twice", "the same card is in both slots: use two different cards", "CARD IS IN TWICE"
    )
    NOTHING_TO_UNDO = Why("nothing to undo", "there is no transfer to take back", "NOTHING TO UNDO")
    BANKRUPT = Why("bankrupt", "this card is bankrupt: its player is out of the game", "CARD IS BANKRUPT")
    LEFT = Why(
        "left",
        "this card has left the game: let it return first",
        "CARD HAS LEFT",
    )
    NO_OTHER_GAME = Why("no other game", "there is no other game to resume", "NO OTHER GAME")
    CARDS_IN = Why("cards in", "a card is in a slot: first take all cards out", "TAKE CARDS OUT")
    NO_EDITION = Why(
        "no edition",
        "the table does not know the edition of that game: set `edition` in the config to that edition and restart the "
        "table, or choose another game",
        "EDITION IS GONE",
    )
    TWO_CARDS = Why("two cards", "both slots have a card: take one out", "TAKE 1 CARD OUT")
    DIALOG = Why(
        "dialog",
        "a menu is open at the banker unit, so no money has moved: close it with C first",
        "PRESS C FIRST",
    )
    ANSWER = Why("answer", "the banker unit shows a question, so no money has moved: answer it with GO or C first")
    UNSEEN = Why(
        "unseen",
        "the display has a fault, so you could not see what GO would do: check the display's plug, or use the table "
        "page",
    )
    M_ENTERS = Why(
        "m enters",
        "GO enters no amount: press M, or K where the edition has it, or clear it with C",
        "PRESS M, NOT GO",
    )
    NOT_BOOKED = Why(
        "not booked",
        "GO was not released on its own, so no money has moved: press GO again",
        "PRESS GO AGAIN",
    )
    WRONG_SLOT = Why(
        "wrong slot", "GO pays the salary to the card in the left slot: put the card there", "CARD -> LEFT"
    )
    CARD_OUT_FIRST = Why("card out first", "a phone asks for a transfer: take the cards out, then answer it")
    NOT_PLAYING = Why(
        "not playing",
        "this card only has its starting money, so it is no player yet: it counts from its first transfer",
        "NOT PLAYING YET",
    )
    NO_POT = Why("no pot", "this table has no Free Parking pot: set `pot = true` in [bank]")
    DISK = Why("disk", "the disk could not save the change, so no money has moved: try again", "NO MONEY MOVED")
    TORN = Why("torn", "the beginning of the input was lost, so none of it counts: type it again", "TYPE IT AGAIN")
    UNCLEAR = Why(
        "unclear",
        "several keys were down at the same time, so the input does not count: press one key at a time",
        "PRESS 1 KEY ONLY",
    )
    TOO_FAST = Why(
        "too fast",
        "the input was too fast for the unit, so none of it counts: try again more slowly",
        "AGAIN, SLOWER",
    )


REJECTIONS = (*AmountWhy.members, *BankWhy.members)
"""The rejections of the bank, also those of amounts."""
