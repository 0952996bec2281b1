CREATE TABLE `conversation` (
	`name` text PRIMARY KEY NOT NULL,
	`definition` text NOT NULL,
	`is_default` integer NOT NULL
);
