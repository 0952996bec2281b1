CREATE TABLE "api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"environment" text NOT NULL,
	"prefix" text NOT NULL,
	"last4" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scopes" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"created_by" text,
	"expires_at" bigint,
	"last_used_at" bigint,
	"revoked_at" bigint,
	"rotated_from" text,
	CONSTRAINT "api_key_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
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
CREATE TABLE "installation" (
	"id" integer PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organization" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"limit_overrides" jsonb,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"is_default" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"archived_at" bigint
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"duration_ms" integer NOT NULL,
	"first_byte_ms" integer,
	"endpoint" text NOT NULL,
	"method" text NOT NULL,
	"status" integer NOT NULL,
	"error_code" text,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"key_id" text NOT NULL,
	"environment" text NOT NULL,
	"model" text,
	"voice" text,
	"stream" boolean NOT NULL,
	"response_format" text,
	"characters" integer,
	"audio_seconds" double precision,
	"cost_micros" bigint NOT NULL,
	"ip" text,
	"user_agent" text,
	CONSTRAINT "request_log_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "usage_event" (
	"id" text NOT NULL,
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
	"created_at" bigint NOT NULL,
	CONSTRAINT "usage_event_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."project"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project" ADD CONSTRAINT "project_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_by_project" ON "api_key" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "credit_grant_by_organization" ON "credit_grant" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "project_name" ON "project" USING btree ("organization_id","name");