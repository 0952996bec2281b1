/** The machine of each node, now and in the last hour: processors, memory, disk, GPUs, and the tasks of its engines. */
import { useMemo } from "react";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { byteSize, count, percent } from "../format/numbers.ts";
import type { Limit } from "../ui/chart/drawing.ts";
import type { ChartSeries } from "../ui/chart/series.ts";
import { Meter } from "../ui/meter.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { MinuteChart } from "./minute-chart.tsx";

type Machine = Reply<"GET /api/operator/machines">["data"][number];
type Now = NonNullable<Machine["now"]>;
type Gpu = NonNullable<Now["gpus"]>[number];
type Minute = Machine["minutes"][number];
type Figure = Exclude<keyof Minute, "start">;

const EVERY_MS = 10_000;

export function Machines() {
  const query = useRead("GET /api/operator/machines", {}, { everyMs: EVERY_MS });
  return (
    <QueryBoundary of={query}>
      {({ data }) =>
        data.map((machine) => <MachineCard key={machine.id} {...{ machine, all: data.length }} />)
      }
    </QueryBoundary>
  );
}

/** `all`: of how many. */
function MachineCard({ machine, all }: { machine: Machine; all: number }) {
  const { id, running, waiting, now } = machine;
  const tasks = `${count(running)} running, ${count(waiting)} waiting`;
  return (
    <Card title={all === 1 ? "Machine" : `Machine of ${id}`} actions={<small>Tasks: {tasks}</small>}>
      {now === null ? (
        <p>The version of this node does not report its machine.</p>
      ) : (
        <>
          <Meters now={now} />
          <Hour machine={machine} now={now} of={all === 1 ? "" : ` of ${id}`} />
        </>
      )}
    </Card>
  );
}

const UNKNOWN = "unknown";

function Meters({ now }: { now: Now }) {
  const { cores, cpu, process_cpu, disk, gpus } = now;
  const processors = `${count(cores)} ${cores === 1 ? "processor" : "processors"}`;
  return (
    <>
      <div className="meters">
        <Meter
          name="Processors"
          part={cpu ?? 0}
          text={cpu === null ? "Not measured yet" : `${percent(cpu)} of ${processors} in use`}
          hint={process_cpu === null ? processors : `${percent(process_cpu)} by the server`}
          isGoal // work that takes all of them is no fault
        />
        <Meter
          name="Memory"
          part={now.memory_used_bytes / now.memory_total_bytes}
          text={`${byteSize(now.memory_used_bytes)} of ${byteSize(now.memory_total_bytes)} in use`}
          hint={`${byteSize(now.process_memory_bytes)} by the server`}
        />
        {disk && (
          <Meter
            name="Disk"
            part={1 - disk.free_bytes / disk.total_bytes}
            text={`${byteSize(disk.free_bytes)} of ${byteSize(disk.total_bytes)} free`}
            hint="The disk of the data directory"
          />
        )}
        {gpus?.map((gpu, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several have the same name, and their order stays
          <GpuMeter key={at} gpu={gpu} />
        ))}
      </div>
      {gpus === null && <p className="hint">No NVIDIA GPU is known: nvidia-smi is absent or fails here.</p>}
    </>
  );
}

function GpuMeter({ gpu: { name, use, memory_used_bytes: used, memory_total_bytes: total } }: { gpu: Gpu }) {
  const busy = `Use ${use === null ? UNKNOWN : percent(use)}`;
  if (used === null || total === null)
    return <Meter name={name} part={use ?? 0} text={busy} hint="Memory unknown" isGoal />;
  const text = `${byteSize(used)} of ${byteSize(total)} of memory in use`;
  return <Meter name={name} part={used / total} text={text} hint={busy} isGoal />;
}

/** Of a part of 1, for the axis. */
const PARTS = [0.05, 0.1, 0.2, 0.25, 0.5];

type Plot = {
  title: string;
  series: ChartSeries[];
  format: (value: number) => string;
  isInFront?: boolean;
  steps?: number[];
  limit?: Limit;
};

function Hour({ machine: { minutes }, now, of }: { machine: Machine; now: Now; of: string }) {
  const plots = useMemo(() => plotsOf(minutes, now), [minutes, now]);
  return (
    <>
      <div className="activity">
        {plots.map((plot) => (
          <MinuteChart key={plot.title} {...plot} {...{ minutes, of }} />
        ))}
      </div>
      <p className="hint">
        The last hour by minute, in UTC, as the node that answers has seen it since it started: means of each
        minute; of free space the least, of tasks the most.
      </p>
    </>
  );
}

function plotsOf(minutes: Minute[], now: Now): Plot[] {
  const line = (figure: Figure, name: string, colour: number): ChartSeries => {
    const values = minutes.map((minute) => minute[figure]);
    return { id: figure, name, colour, values, total: values.findLast((value) => value !== null) ?? 0 };
  };
  const gpus = now.gpus ?? [];
  const gpuMemory = gpus.reduce((sum, { memory_total_bytes }) => sum + (memory_total_bytes ?? 0), 0);
  const all: (Plot | false)[] = [
    {
      title: "Processors",
      series: [line("process_cpu", "Server", 1), line("cpu", "Machine", 2)],
      ...{ format: percent, isInFront: true, steps: PARTS, limit: { value: 1, text: "all processors" } },
    },
    {
      title: "Memory",
      series: [line("process_memory_bytes", "Server", 1), line("memory_used_bytes", "Machine", 2)],
      ...{ format: byteSize, isInFront: true, limit: limitOf(now.memory_total_bytes) },
    },
    now.disk !== null && {
      title: "Free space",
      series: [line("disk_free_bytes", "Free", 3)],
      ...{ format: byteSize, isInFront: true, limit: limitOf(now.disk.total_bytes) },
    },
    gpus.some(({ use }) => use !== null) && {
      title: gpus.length === 1 ? "GPU" : "GPUs",
      series: [line("gpu_use", "Use", 4)],
      ...{ format: percent, isInFront: true, steps: PARTS, limit: { value: 1, text: "all of it" } },
    },
    gpuMemory > 0 && {
      title: "GPU memory",
      series: [line("gpu_memory_used_bytes", "In use", 4)],
      ...{ format: byteSize, isInFront: true, limit: limitOf(gpuMemory) },
    },
    {
      title: "Tasks",
      series: [line("running", "Running", 3), line("waiting", "Waiting", 1)],
      format: count,
    },
  ];
  return all.filter((plot) => plot !== false);
}

const limitOf = (bytes: number): Limit => ({ value: bytes, text: `all: ${byteSize(bytes)}` });
