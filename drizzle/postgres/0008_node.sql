CREATE TABLE "node" (
	"id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"version" text NOT NULL,
	"started_ms" bigint NOT NULL,
	"seen_ms" bigint NOT NULL,
	"skew_ms" bigint NOT NULL,
	"draining" boolean NOT NULL,
	"report" jsonb NOT NULL
);
