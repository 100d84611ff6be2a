"""The simulator: a virtual Pi, plays (scripted sessions) and the bench (a web page)."""
