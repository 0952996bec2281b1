CREATE TABLE `upstream` (
	`name` text PRIMARY KEY NOT NULL,
	`definition` text NOT NULL
);
