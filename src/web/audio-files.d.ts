/** Recordings that the bundle carries: the address of the file, from that of the code. */
declare module "*.ogg" {
  const address: string;
  export default address;
}
