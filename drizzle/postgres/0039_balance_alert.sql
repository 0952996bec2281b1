ALTER TABLE "credit_account" ADD COLUMN "balance_alert_micros" bigint;--> statement-breakpoint
ALTER TABLE "credit_account" ADD COLUMN "balance_alerted_at" bigint;