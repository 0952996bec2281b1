CREATE UNLOGGED TABLE "limit_level" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"buckets" jsonb NOT NULL,
	"slots" jsonb NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "requested_package" (
	"name" text PRIMARY KEY NOT NULL,
	"variants" jsonb,
	"license_accepted" boolean NOT NULL,
	"changed_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "web_asset" (
	"name" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"gzip" "bytea" NOT NULL,
	"used_ms" bigint NOT NULL
);
