"""Tools that write the lists, drawings, housings and sounds. Run them with ``make parts`` and so on."""
