"""gpiozero's own tests, run on our pin factories instead of gpiozero's mock pins."""
