CREATE TABLE `budget_period` (
	`organization_id` text NOT NULL,
	`subject` text NOT NULL,
	`start` integer NOT NULL,
	`micros` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `subject`, `start`)
);
--> statement-breakpoint
ALTER TABLE `usage_event` ADD `budgets` text;