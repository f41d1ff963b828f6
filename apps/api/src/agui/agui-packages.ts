/** The parts of AG-UI's packages that the API uses. */
type AguiPackages = Awaited<ReturnType<typeof load>>;

let loading: Promise<AguiPackages> | undefined;

/** Loads the packages with the first run, so that an API without runs needs neither their time nor their memory. */
export function loadAguiPackages(): Promise<AguiPackages> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load() {
  const [{ omitOptionalNulls }, { RunAgentInputSchema }, { EventEncoder }] = await Promise.all([
    import('@ag-ui/core'),
    import('@ag-ui/core/schemas'),
    import('@ag-ui/encoder'),
  ]);
  return { omitOptionalNulls, RunAgentInputSchema, EventEncoder };
}
