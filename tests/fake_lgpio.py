"""A made-up lgpio, on a machine with the GPIO chips that the test chooses."""

from __future__ import annotations

from types import ModuleType


class FakeLgpio(ModuleType):
    """lgpio as it is on a machine with the GPIO chips *labels*; ``None`` is one that may not be opened."""

    class error(Exception):  # noqa: N801, N818 - lgpio's own name
        pass

    def __init__(self, labels: dict[int, str | None]) -> None:
        super().__init__("lgpio")
        self.labels = labels
        self.opened: list[int] = []
        self.claimed: list[tuple[int, int]] = []
        self.busy: set[int] = set()

    def gpiochip_open(self, number: int) -> int:
        if self.labels[number] is None:
            raise self.error("can not open gpiochip")
        self.opened.append(number)
        return number

    def gpiochip_close(self, handle: int) -> None:
        self.opened.remove(handle)

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 54, f"gpiochip{handle}", self.labels[handle]]

    def gpio_claim_output(self, handle: int, pin: int, level: int) -> None:
        if pin in self.busy:
            raise self.error("GPIO busy")
        self.claimed.append((pin, level))
