CREATE TABLE `billing_account` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`customer_id` text,
	`setup_session_id` text,
	`payment_method_id` text,
	`card_brand` text,
	`card_last4` text,
	`card_exp_month` integer,
	`card_exp_year` integer,
	`recharge_enabled` integer NOT NULL,
	`recharge_threshold_micros` integer NOT NULL,
	`recharge_target_micros` integer NOT NULL,
	`recharge_failures` integer NOT NULL,
	`recharge_problem` text,
	`recharge_not_before` integer NOT NULL,
	`recharge_failed_id` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `billing_account_customer_id_unique` ON `billing_account` (`customer_id`);--> statement-breakpoint
CREATE TABLE `stripe_event` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`handled_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `top_up` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`amount_micros` integer NOT NULL,
	`refunded_micros` integer NOT NULL,
	`checkout_session_id` text,
	`checkout_url` text,
	`payment_intent_id` text,
	`receipt_url` text,
	`problem` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `top_up_checkout_session_id_unique` ON `top_up` (`checkout_session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `top_up_payment_intent_id_unique` ON `top_up` (`payment_intent_id`);--> statement-breakpoint
CREATE INDEX `top_up_by_organization` ON `top_up` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `top_up_in_flight` ON `top_up` (`organization_id`) WHERE kind = 'auto_recharge' and status = 'pending';--> statement-breakpoint
CREATE TABLE `attempt` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `credential` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`password` text,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `credential_by_user` ON `credential` (`user_id`);--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text,
	`status` text NOT NULL,
	`expires_at` integer NOT NULL,
	`inviter_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`inviter_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `invitation_by_email` ON `invitation` (`email`);--> statement-breakpoint
CREATE INDEX `invitation_by_organization` ON `invitation` (`organization_id`);--> statement-breakpoint
CREATE TABLE `member` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_once` ON `member` (`organization_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `member_by_user` ON `member` (`user_id`);--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token` text NOT NULL,
	`expires_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`active_organization_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token_unique` ON `session` (`token`);--> statement-breakpoint
CREATE INDEX `session_by_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer NOT NULL,
	`image` text,
	`operator` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);--> statement-breakpoint
CREATE TABLE `verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verification_by_identifier` ON `verification` (`identifier`);--> statement-breakpoint
CREATE TABLE `credit_reversal` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`grant_id` text NOT NULL,
	`kind` text NOT NULL,
	`amount_micros` integer NOT NULL,
	`overdraft_micros` integer NOT NULL,
	`burns` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `credit_reversal_by_organization` ON `credit_reversal` (`organization_id`);--> statement-breakpoint
CREATE TABLE `usage_total` (
	`organization_id` text NOT NULL,
	`period` text NOT NULL,
	`start` integer NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`environment` text NOT NULL,
	`model` text NOT NULL,
	`endpoint` text NOT NULL,
	`requests` integer NOT NULL,
	`errors` integer NOT NULL,
	`characters` integer NOT NULL,
	`audio_seconds` real NOT NULL,
	`cost_micros` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `period`, `start`, `project_id`, `key_id`, `environment`, `model`, `endpoint`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `installation` ADD `secret` text;--> statement-breakpoint
CREATE INDEX `request_log_not_200` ON `request_log` (`organization_id`,`id`,`status`,`error_code`) WHERE status <> 200;--> statement-breakpoint
INSERT INTO usage_total
SELECT organization_id, period, created_at - created_at % seconds, project_id, key_id, environment, model, endpoint,
	sum(requests), sum(errors), sum(characters), sum(audio_seconds), sum(cost_micros)
FROM (
	SELECT organization_id, created_at, project_id, key_id, environment, model, endpoint, 0 AS requests, 0 AS errors,
		CASE unit WHEN 'character' THEN quantity ELSE 0 END AS characters,
		CASE unit WHEN 'second' THEN quantity ELSE 0 END AS audio_seconds, cost_micros
	FROM usage_event
	UNION ALL
	SELECT organization_id, created_at, project_id, key_id, environment, coalesce(model, ''), endpoint, 1,
		CASE WHEN status >= 400 AND status <> 499 THEN 1 ELSE 0 END, 0, 0, 0
	FROM request_log
) AS counted CROSS JOIN (SELECT 'hour' AS period, 3600 AS seconds UNION ALL SELECT 'day', 86400) AS periods
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;