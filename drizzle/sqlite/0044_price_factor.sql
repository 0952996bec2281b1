ALTER TABLE `organization` ADD `price_factor` integer DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `price_factor_from` integer;--> statement-breakpoint
ALTER TABLE `organization` ADD `price_factor_before` integer DEFAULT 10000 NOT NULL;