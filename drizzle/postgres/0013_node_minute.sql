CREATE TABLE "node_minute" (
	"node" text NOT NULL,
	"started_ms" bigint NOT NULL,
	"start" integer NOT NULL,
	"succeeded" integer NOT NULL,
	"refused" integer NOT NULL,
	"failed" integer NOT NULL,
	"sessions" integer NOT NULL,
	"waited" integer NOT NULL,
	"waits" jsonb NOT NULL,
	CONSTRAINT "node_minute_node_started_ms_start_pk" PRIMARY KEY("node","started_ms","start")
);
