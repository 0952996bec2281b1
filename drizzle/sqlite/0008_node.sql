CREATE TABLE `node` (
	`id` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`version` text NOT NULL,
	`started_ms` integer NOT NULL,
	`seen_ms` integer NOT NULL,
	`skew_ms` integer NOT NULL,
	`draining` integer NOT NULL,
	`report` text NOT NULL
);
