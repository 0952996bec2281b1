PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_webhook_endpoint` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text,
	`project_id` text,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`event_types` text NOT NULL,
	`secret` text NOT NULL,
	`secret_hint` text NOT NULL,
	`old_secret` text,
	`old_secret_until` integer,
	`status` text NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`enabled_at` integer NOT NULL,
	`failures` integer NOT NULL,
	`succeeded_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_webhook_endpoint`("id", "organization_id", "project_id", "name", "url", "event_types", "secret", "secret_hint", "old_secret", "old_secret_until", "status", "disabled_reason", "disabled_at", "enabled_at", "failures", "succeeded_at", "created_at", "updated_at") SELECT "id", "organization_id", "project_id", "name", "url", "event_types", "secret", "secret_hint", "old_secret", "old_secret_until", "status", "disabled_reason", "disabled_at", "enabled_at", "failures", "succeeded_at", "created_at", "updated_at" FROM `webhook_endpoint`;--> statement-breakpoint
DROP TABLE `webhook_endpoint`;--> statement-breakpoint
ALTER TABLE `__new_webhook_endpoint` RENAME TO `webhook_endpoint`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `webhook_endpoint_by_organization` ON `webhook_endpoint` (`organization_id`,`id`);