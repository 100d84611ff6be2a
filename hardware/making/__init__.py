"""What is generated from the folder's data: lists, drawings and housings. Run with ``make parts`` and the like."""
