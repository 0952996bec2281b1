ALTER TABLE "billing_account" ADD COLUMN "notice" text;--> statement-breakpoint
ALTER TABLE "billing_account" ADD COLUMN "notice_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_account" ADD COLUMN "notice_not_before" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_account" ADD COLUMN "notice_sent_to" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "top_up" ADD COLUMN "tax_micros" bigint DEFAULT 0 NOT NULL;