CREATE TABLE "admin_api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"last4" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scopes" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"created_by" text,
	"expires_at" bigint,
	"last_used_at" bigint,
	"revoked_at" bigint,
	CONSTRAINT "admin_api_key_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "service_account" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "service_account_id" text;--> statement-breakpoint
ALTER TABLE "usage_total" ADD COLUMN "abandoned" integer DEFAULT 0;--> statement-breakpoint
ALTER TABLE "admin_api_key" ADD CONSTRAINT "admin_api_key_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_account" ADD CONSTRAINT "service_account_project_id_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."project"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_api_key_by_organization" ON "admin_api_key" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "service_account_by_project" ON "service_account" USING btree ("project_id","id");