"""A test of the traffic light with pytest. Run it in this folder."""

from reboard_sim.cli import main


def test_the_traffic_light() -> None:
    """Check what the play beside it says."""
    assert main(["script", "traffic_light.py", "--play", "traffic_light.play"]) == 0
