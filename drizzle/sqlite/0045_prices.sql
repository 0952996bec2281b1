CREATE TABLE `price` (
	`model` text NOT NULL,
	`valid_from` integer NOT NULL,
	`micros` integer NOT NULL,
	`background_micros` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`model`, `valid_from`)
);
