CREATE TABLE "conversation" (
	"name" text PRIMARY KEY NOT NULL,
	"definition" jsonb NOT NULL,
	"is_default" boolean NOT NULL
);
