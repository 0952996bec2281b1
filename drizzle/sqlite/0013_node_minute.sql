CREATE TABLE `node_minute` (
	`node` text NOT NULL,
	`started_ms` integer NOT NULL,
	`start` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`refused` integer NOT NULL,
	`failed` integer NOT NULL,
	`sessions` integer NOT NULL,
	`waited` integer NOT NULL,
	`waits` text NOT NULL,
	PRIMARY KEY(`node`, `started_ms`, `start`)
);
