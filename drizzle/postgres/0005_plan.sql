ALTER TABLE "credit_account" ADD COLUMN "month_unmetered_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "plan" text DEFAULT 'prepaid' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_event" ADD COLUMN "plan" text DEFAULT 'prepaid' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_total" ADD COLUMN "unmetered_micros" bigint DEFAULT 0 NOT NULL;