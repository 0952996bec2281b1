CREATE TABLE "credit_account" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"overdraft_micros" bigint NOT NULL,
	"month" integer NOT NULL,
	"month_micros" bigint NOT NULL,
	"monthly_limit_micros" bigint,
	"purchased_micros" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credit_grant" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"kind" text NOT NULL,
	"amount_micros" bigint NOT NULL,
	"settled_micros" bigint NOT NULL,
	"remaining_micros" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"top_up_id" text,
	CONSTRAINT "credit_grant_top_up_id_unique" UNIQUE("top_up_id")
);
--> statement-breakpoint
CREATE TABLE "usage_event" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"key_id" text NOT NULL,
	"environment" text NOT NULL,
	"request_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"model" text NOT NULL,
	"unit" text NOT NULL,
	"quantity" double precision NOT NULL,
	"price_micros" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	"overdraft_micros" bigint NOT NULL,
	"burns" jsonb NOT NULL,
	"month" integer NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "credit_grant_live" ON "credit_grant" USING btree ("organization_id") WHERE remaining_micros > 0;--> statement-breakpoint
CREATE INDEX "credit_grant_by_organization" ON "credit_grant" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "usage_event_by_time" ON "usage_event" USING btree ("organization_id","created_at");