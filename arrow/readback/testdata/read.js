// node read.js MODULES DIR: what DuckDB and polars see of the files in DIR, a line each.
const [modules, dir] = process.argv.slice(2);
const require_ = require('node:module').createRequire(modules + '/');
const { DuckDBInstance } = require_('@duckdb/node-api');
const pl = require_('nodejs-polars');
(async () => {
  const c = await (await DuckDBInstance.create(':memory:')).connect();
  const ask = async (name, sql) => console.log(name, (await c.runAndReadAll(sql)).getRows()[0].map(String).join(' '));
  for (const f of ['plain', 'snappy']) {
    await ask(f, `select count(*), count(distinct entity), sum("Position.X"::double), sum("Position.Y"::double), sum("Velocity.Z") from '${dir}/${f}.parquet'`);
  }
  await ask('empty', `select count(*), count("Position.X") from '${dir}/empty.parquet'`);
  await ask('study', `select count(*), count(distinct run), sum(attack * 8)::int, sum((state = 'ok')::int) from '${dir}/study.parquet'`);
  await ask('kinds', `select count(*), count("Body.Alive"), sum("Body.Alive"::int), sum("Body.Matrix"[2]), count(distinct "Team.Name"), sum(octet_length("Body.Key")), sum("Burning.enabled"::int) from '${dir}/kinds.parquet'`);
  await ask('lists', `select count(*), count("Body.Matrix"), sum(len("Body.Matrix")), sum("Body.Matrix"[2])::int from '${dir}/lists.parquet'`);
  for (const [f, read] of [['file', pl.readIPC], ['stream', pl.readIPCStream]]) {
    const d = read(require('node:fs').readFileSync(`${dir}/${f}.arrow`));
    console.log(f, d.height, d.getColumn('entity').nUnique(), d.getColumn('Position.X').cast(pl.Float64).sum(), d.getColumn('Position.Y').cast(pl.Float64).sum(), d.getColumn('Velocity.Z').sum());
  }
})().catch((e) => { console.error(e); process.exit(1); });
