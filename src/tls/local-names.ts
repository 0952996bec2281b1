/** The addresses and names under which other machines of the network reach this one. IPv4: a server listens on those. */
import { hostname, networkInterfaces } from "node:os";

const VIRTUAL = /^(docker|br-|veth|virbr|cni|flannel|podman)/; // networks inside this machine

export function lanAddresses(): string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    VIRTUAL.test(name)
      ? []
      : (addresses ?? [])
          .filter(({ family, internal }) => family === "IPv4" && !internal)
          .map(({ address }) => address),
  );
}

/** The host's name, and for one without a domain also the name by which multicast DNS finds it. */
export function hostNames(): string[] {
  const name = hostname().toLowerCase();
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return [];
  return name.includes(".") ? [name] : [name, `${name}.local`];
}
