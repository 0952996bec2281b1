CREATE TABLE `alias` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`targets` text NOT NULL,
	`format` text,
	PRIMARY KEY(`kind`, `name`)
);
