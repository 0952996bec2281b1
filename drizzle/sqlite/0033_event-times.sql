CREATE INDEX `api_key_expiring` ON `api_key` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX `credit_grant_by_time` ON `credit_grant` (`created_at`);--> statement-breakpoint
CREATE INDEX `credit_grant_expiring` ON `credit_grant` (`expires_at`) WHERE expires_at is not null;