"""Circuits of the devices: for each kind a file with its parts and nets, and a module with its rules and drawing."""
