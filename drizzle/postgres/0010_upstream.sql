CREATE TABLE "upstream" (
	"name" text PRIMARY KEY NOT NULL,
	"definition" jsonb NOT NULL
);
