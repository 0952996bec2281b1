ALTER TABLE `credit_grant` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `credit_reversal` ADD `reason` text;--> statement-breakpoint
CREATE INDEX `credit_reversal_by_grant` ON `credit_reversal` (`grant_id`);