ALTER TABLE `request_log` ADD `responses` integer;--> statement-breakpoint
ALTER TABLE `request_log` ADD `input_tokens` integer;--> statement-breakpoint
ALTER TABLE `request_log` ADD `output_tokens` integer;--> statement-breakpoint
ALTER TABLE `usage_total` ADD `tokens` integer DEFAULT 0;