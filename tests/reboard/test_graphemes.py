"""The characters of a text as people see them."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Browser

from reboard.graphemes import graphemes, is_visible

ONE_EACH = [
    *("é", "e\u0301", "👨‍👩‍👧‍👦", "👍🏽", "👩🏽‍🚀", "❤️‍🔥", "🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "क्षि", "กำ", "각", "ﾊﾟ", "☕"),
]
SEVERAL = {"Łukasz": 6, "O’Brien": 7, "🇩🇪🇫🇷": 2, "🇩🇪🇫": 2, "वर्मा": 2, "வணக்கம்": 5, "한국": 2, "علی‌رضا": 6, "👩👨": 2}


@pytest.mark.parametrize(("text", "count"), [*SEVERAL.items(), *((each, 1) for each in ONE_EACH)])
def test_a_character_is_what_people_see_as_one(text: str, count: int) -> None:
    assert len(graphemes(text)) == count
    assert is_visible(text)


@pytest.mark.parametrize(
    "text", ["", " ", "\u200d", "Anna\u200d", "\u202eAnna", "An\nna", "\u3164", "\u0301a", "a\u200db", "a\U000e0067"]
)
def test_what_is_hidden_or_changes_other_text_is_not_visible(text: str) -> None:
    assert not is_visible(text)


@pytest.mark.realtime
def test_browsers_count_the_same(browser: Browser) -> None:
    more = ["ß", "각", "가", "🇦", "🇧", "🏻", "♂", "🫩", "\u200c", "\ufe0f", "\u20e3"]
    random = Random(1)
    texts = [
        "".join(random.choices([*more, *one], k=random.randint(1, 8)))
        for one in [*SEVERAL, *ONE_EACH]
        for _ in range(1000)
    ]
    split = "texts => texts.map(text => [...new Intl.Segmenter().segment(text)].map(({segment}) => segment))"
    page = browser.new_page()
    theirs = page.evaluate(split, texts)
    page.close()
    assert [(text, each) for text, each in zip(texts, theirs, strict=True) if graphemes(text) != each][:3] == []
