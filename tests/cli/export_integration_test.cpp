// export, import and merge as a user runs them, on stores that real runs made.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/results.h"
#include "cli/shell.h"
#include "metrics/case_summary.h"
#include "store/sqlite.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExportCommands : public CommandTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(shell(kRunTwo + "--replicates 2 --samples 500 --warmup 2 --name first").exit_code, 0);
  }

  std::string file(const std::string& name) const { return read_file_or_empty(folder_.path() / name); }
};

TEST_F(ExportCommands, ExportImportExportIsTheSameFile) {
  const ShellResult moved = shell(R"(
set -e
$T export --store r.db -o a.jsonl
$T import a.jsonl --store b.db
$T export --store b.db -o b.jsonl
cmp a.jsonl b.jsonl
$T import a.jsonl --store b.db
$T export first --store b.db -o - | cmp - a.jsonl
$T show --store r.db --format json --all > r.json
$T show --store b.db --format json --all > b.json
cmp r.json b.json)");
  EXPECT_EQ(moved.exit_code, 0) << moved.errors;
  EXPECT_THAT(moved.output,
              AllOf(HasSubstr("exported 1 run, 2 cases and 4 replicates to a.jsonl"),
                    HasSubstr("added 1 run, 2 cases and 4 replicates to b.db\n"),
                    HasSubstr("added 0 runs, 0 cases and 0 replicates to b.db; 4 replicates already there")));
}

TEST_F(ExportCommands, RunsKeepSummariesThatSayWhatTheSamplesSay) {
  const RunRecord run = load();
  for (const CaseRecord& one : run.cases) {
    ASSERT_TRUE(has_current_summary(one)) << one.id;
    CaseRecord without = one;
    without.summary.reset();
    EXPECT_EQ(case_json(one, {}), case_json(without, {})) << one.id;
  }
}

TEST_F(ExportCommands, MergeUnitesRunsAndIsIdempotent) {
  ASSERT_EQ(shell("cp r.db copy.db; mv r.db kept.db; " + kRunOne + "--replicates 1 --name second").exit_code, 0);
  const ShellResult merged = shell(R"(
set -e
mv r.db s.db
mv kept.db r.db
sha256sum r.db s.db copy.db > before
$T merge all.db r.db s.db copy.db
$T export --store all.db -o once.jsonl
$T merge all.db all.db s.db r.db
$T export --store all.db -o twice.jsonl
cmp once.jsonl twice.jsonl
sha256sum --check --quiet before
$T show second --store all.db)");
  EXPECT_EQ(merged.exit_code, 0) << merged.errors;
  EXPECT_THAT(merged.output, HasSubstr("added 2 runs, 3 cases and 5 replicates to all.db; 4 replicates already there"));
  EXPECT_THAT(file("once.jsonl"), HasSubstr(R"("end":{"cases":3,"replicates":5,"runs":2})"));
}

TEST_F(ExportCommands, AMissingInputLeavesTheOutputUntouched) {
  const ShellResult merged = shell("$T merge all.db r.db missing.db");
  EXPECT_EQ(merged.exit_code, 3);
  EXPECT_THAT(merged.errors, HasSubstr("no store at 'missing.db'"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "all.db"));
  const ShellResult imported = shell("$T import missing.jsonl --store all.db");
  EXPECT_EQ(imported.exit_code, 3);
  EXPECT_THAT(imported.errors, HasSubstr("missing.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "all.db"));
}

TEST_F(ExportCommands, AFileOfAnotherKindIsNamedWithTheCommandThatTakesIt) {
  ASSERT_EQ(shell("$T export --store r.db -o x.jsonl; gzip -k x.jsonl; echo text > notes.txt").exit_code, 0);
  const ShellResult merged = shell("$T merge all.db x.jsonl");
  EXPECT_EQ(merged.exit_code, 3);
  EXPECT_THAT(merged.errors, HasSubstr("`transformeter import x.jsonl --store all.db`"));
  EXPECT_EQ(shell("$T merge all.db notes.txt").errors, "transformeter: 'notes.txt' is not a transformeter store\n");
  const ShellResult imported = shell("$T import r.db --store all.db");
  EXPECT_EQ(imported.exit_code, 3);
  EXPECT_THAT(imported.errors,
              HasSubstr("'r.db' is a store, not an export; merge it with `transformeter merge OUT r.db`"));
  EXPECT_THAT(shell("$T import x.jsonl.gz --store all.db").errors,
              HasSubstr("`zcat x.jsonl.gz | transformeter import - --store ...`"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "all.db"));
}

TEST_F(ExportCommands, ConflictsAreNamedOrKept) {
  const ShellResult made = shell(R"(
$T export --store r.db -o a.jsonl
sed '/"replicate":/ s/"ranks":1/"ranks":2/' a.jsonl > other.jsonl
$T import other.jsonl --store r.db)");
  EXPECT_EQ(made.exit_code, 3);
  EXPECT_THAT(made.errors, AllOf(HasSubstr("other.jsonl:"), HasSubstr("replicate 0 of case 'c01'"),
                                 HasSubstr("nothing was changed")));
  const ShellResult kept = shell("$T import other.jsonl --store r.db --keep-first");
  EXPECT_EQ(kept.exit_code, 0) << kept.errors;
  EXPECT_THAT(kept.output, HasSubstr("kept the stored one: replicate 1 of case"));
}

TEST_F(ExportCommands, AFullDiskLeavesTheOldFileAndNoOther) {
  const ShellResult full = shell(R"(
echo old > a.jsonl
trap '' XFSZ
ulimit -f 64
$T export --store r.db -o a.jsonl; echo "exit $?")");
  EXPECT_THAT(full.output, HasSubstr("exit 3"));
  EXPECT_THAT(full.errors, HasSubstr("cannot write 'a.jsonl'"));
  EXPECT_EQ(file("a.jsonl"), "old\n");
  const ShellResult csv = shell(R"(
mkdir -p csv; echo old > csv/samples.csv
trap '' XFSZ
ulimit -f 64
$T export --store r.db --format csv -o csv; echo "exit $?"; ls csv)");
  EXPECT_THAT(csv.output, HasSubstr("exit 3\nsamples.csv\n"));
  EXPECT_EQ(file("csv/samples.csv"), "old\n");
  EXPECT_EQ(shell("$T export --store r.db -o - > /dev/full").exit_code, 3);
  EXPECT_EQ(shell("$T show --store r.db --format jsonl > /dev/full").exit_code, 3);
}

TEST_F(ExportCommands, GarbageAndOddTargetsAreRefused) {
  Database(folder_.path() / "other.db", Database::Access::kReadWriteCreate).execute("CREATE TABLE mine (x)");
  const ShellResult refused = shell(R"(
head -c 100000 /dev/urandom > garbage
$T import garbage --store b.db;           echo "garbage $?"
$T import r.db --store b.db;              echo "store $?"
$T import garbage --store r.db;           echo "into $?"
$T export --store other.db -o a.jsonl;    echo "foreign $?"
$T merge other.db r.db;                   echo "onto $?"
$T export --store r.db -o r.db;           echo "itself $?"
$T export nobody --store r.db -o a.jsonl; echo "nobody $?"
$T export --store r.db -o no/a.jsonl;     echo "folder $?"
$T export --store r.db --format xml -o a; echo "format $?"
)");
  EXPECT_THAT(refused.output, HasSubstr("garbage 3\nstore 3\ninto 3\nforeign 3\nonto 3\nitself 3\nnobody 3\n"
                                        "folder 3\nformat 3\n"))
      << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "b.db"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "a.jsonl"));
}

TEST_F(ExportCommands, AnEmptyStoreHasAnEmptyExport) {
  folder_.write("empty.jsonl",
                "{\"format\":\"transformeter-export\",\"schema_version\":1}\n"
                "{\"end\":{\"cases\":0,\"replicates\":0,\"runs\":0}}\n");
  const ShellResult empty = shell(R"(
set -e
$T import empty.jsonl --store empty.db
$T export --store empty.db -o - | cmp - empty.jsonl
$T merge r.db empty.db
$T show --store empty.db --all --format json)");
  EXPECT_EQ(empty.exit_code, 0) << empty.errors;
  EXPECT_THAT(empty.output, HasSubstr("\"runs\": []"));
}

TEST_F(ExportCommands, CsvHoldsMetricsSamplesAndEnvironment) {
  const ShellResult exported = shell(R"(
set -e
$T export --store r.db --format csv -o csv
$T show --store r.db --format csv | cmp - csv/cases.csv
/usr/bin/python3 - <<'PYTHON'
import csv, json, subprocess, os
runs = json.loads(subprocess.run([os.environ["T"], "show", "--store", "r.db", "--format", "json"], capture_output=True).stdout)["runs"]
rows = list(csv.DictReader(open("csv/samples.csv", newline="")))
expected = []
for case in runs[0]["cases"]:
    for replicate in case["replicates"]:
        for series in replicate["series"]:
            for place, value in enumerate(series["value"]):
                expected.append((case["id"], replicate["index"], series["name"], place, value))
assert [(r["case_id"], int(r["replicate"]), r["series"], int(r["sample"]), float(r["value"])) for r in rows] == expected
environment = {r["name"]: r["value"] for r in csv.DictReader(open("csv/environment.csv", newline=""))}
assert environment["cpu.model"] == (runs[0]["host"]["cpu"]["model"] or ""), environment
print(len(rows), "samples agree")
PYTHON)");
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  EXPECT_THAT(exported.output, HasSubstr("samples agree"));
}

// Held up by a lock that another writer holds, both are known to be under way when the signal comes.
TEST_F(ExportCommands, AnInterruptedImportOrMergeChangesNothing) {
  const ShellResult stopped = shell(R"(
set -e
$T export --store r.db -o a.jsonl
cp r.db in.db
sed '/"end"/d; s/"id":"[^"]*","name":"first"/"id":"other","name":"other"/; s/"run":"[^"]*"/"run":"other"/' a.jsonl > b.jsonl
grep '"end"' a.jsonl >> b.jsonl
$T import b.jsonl --store in.db
$T runs --store r.db --format json > before
/usr/bin/python3 - <<'PYTHON'
import os, signal, sqlite3, subprocess, time
def has_open(pid, name):
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{fd}").endswith(name) for fd in os.listdir(folder))
    except FileNotFoundError:  # closed, or the process ended, while we looked
        return False
for arguments in (["import", "b.jsonl", "--store", "r.db"], ["merge", "r.db", "in.db"]):
    lock = sqlite3.connect("r.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    child = subprocess.Popen([os.environ["T"], *arguments], stderr=subprocess.PIPE, text=True)
    while not has_open(child.pid, "/r.db"):
        assert child.poll() is None, "ended before it was stopped"
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    time.sleep(0.05)
    lock.execute("ROLLBACK")
    lock.close()
    _, errors = child.communicate(timeout=60)
    print(arguments[0], child.returncode, errors.strip())
PYTHON
$T runs --store r.db --format json | cmp - before)");
  EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
  EXPECT_THAT(stopped.output, HasSubstr("import 130 transformeter: stopped by the user"));
  EXPECT_THAT(stopped.output, HasSubstr("merge 130 transformeter: stopped by the user"));
}

// A pipe that nobody empties holds the export up.
TEST_F(ExportCommands, AnInterruptedExportHasNoEnd) {
  const ShellResult stopped = shell(R"(/usr/bin/python3 - <<'PYTHON'
import fcntl, os, signal, subprocess
F_SETPIPE_SZ = 1031
child = subprocess.Popen([os.environ["T"], "export", "--store", "r.db", "-o", "-"], stdout=subprocess.PIPE)
fcntl.fcntl(child.stdout.fileno(), F_SETPIPE_SZ, 4096)
text = os.read(child.stdout.fileno(), 10)
child.send_signal(signal.SIGINT)
text += child.stdout.read()
print("exit", child.wait(), "complete" if b'{"end":' in text else "cut short")
PYTHON)");
  EXPECT_EQ(stopped.output, "exit 130 cut short\n") << stopped.errors;
}

TEST_F(ExportCommands, AReadOnlyStoreIsNotImportedInto) {
  if (::getuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const ShellResult refused =
      shell("$T export --store r.db -o a.jsonl; chmod 400 r.db; $T import a.jsonl --store r.db");
  EXPECT_EQ(refused.exit_code, 3);
}

}  // namespace
}  // namespace transformeter
