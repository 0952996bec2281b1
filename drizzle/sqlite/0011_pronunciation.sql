CREATE TABLE `pronunciation` (
	`organization_id` text NOT NULL,
	`key` text NOT NULL,
	`word` text NOT NULL,
	`alias` text,
	`phonemes` text,
	PRIMARY KEY(`organization_id`, `key`),
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
