// Where commands write, and what becomes of what was there.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/shell.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Output : public CommandTest {
 protected:
  void SetUp() override { ASSERT_EQ(shell(kRunOne).exit_code, 0); }
};

TEST_F(Output, IsNeverTheStoreUnderWhateverName) {
  const ShellResult refused = shell(R"(
mkdir cc; cp r.db s.md; cp r.db cc/cases.csv; cp r.db in.db; ln -s r.db link.md; ln s.md hard.md
sha256sum r.db s.md cc/cases.csv > before
$T report --store s.md -o s.md;                              echo "report $?"
$T report --store s.md -o ./cc/../s.md;                      echo "dots $?"
$T report --store r.db -o link.md;                           echo "link $?"
$T report --store s.md -o hard.md;                           echo "hard link $?"
$T export --store cc/cases.csv --format csv -o cc;           echo "csv $?"
$T export --store r.db -o r.db-wal;                          echo "log $?"
$T export --store link.md -o r.db-shm;                       echo "memory $?"
sha256sum --check --quiet before;                            echo "kept $?")");
  EXPECT_EQ(refused.output, "report 3\ndots 3\nlink 3\nhard link 3\ncsv 3\nlog 3\nmemory 3\nkept 0\n")
      << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("it is part of the store 's.md'"));
}

TEST_F(Output, GoesThroughLinksAndPipesAndKeepsTheMode) {
  const ShellResult written = shell(R"(
set -e
touch target.md; chmod 600 target.md; ln -s target.md link.md; mkfifo pipe.md
cat pipe.md > through.md & $T report --store r.db -o pipe.md; wait
$T report --store r.db -o link.md
cmp target.md through.md
stat -c '%F %a' link.md target.md pipe.md)");
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  EXPECT_THAT(written.output, HasSubstr("symbolic link 777\nregular file 600\nfifo"));
}

TEST_F(Output, NamedAsTheStandardOutputHoldsTheExportAlone) {
  const ShellResult written = shell(R"(
$T export --store r.db -o - > a.jsonl
$T export --store r.db -o /dev/stdout > b.jsonl && cmp a.jsonl b.jsonl && echo file
$T export --store r.db -o /dev/stdout | cmp - a.jsonl && echo pipe
$T export --store r.db --format csv -o -; echo "csv $?")");
  EXPECT_EQ(written.output, "file\npipe\ncsv 3\n") << written.errors;
  EXPECT_THAT(written.errors, HasSubstr("show --format csv"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "-"));
}

TEST_F(Output, ThatCannotBeWrittenFailsTheCommand) {
  const ShellResult full = shell(R"(
$T runs --store r.db > /dev/full;               echo "$?"
$T runs --store r.db --format json > /dev/full; echo "$?"
$T models > /dev/full;                          echo "$?"
$T models --format json > /dev/full;            echo "$?"
$T --help > /dev/full;                          echo "$?"
$T run --help > /dev/full;                      echo "$?"
$T --version > /dev/full;                       echo "$?"
{ )" + kRunOne + R"(> /dev/full; };             echo "$?")");
  EXPECT_EQ(full.output, "3\n3\n3\n3\n3\n3\n3\n3\n") << full.errors;
  EXPECT_THAT(full.errors, HasSubstr("standard output"));
}

TEST_F(Output, OfAReportThatTheUserStopsIsNotWritten) {
  folder_.write("gnuplot", "#!/bin/sh\ntouch \"$STARTED\"\nexec sleep 60\n");
  const ShellResult stopped = shell(R"(
chmod +x gnuplot; mkdir tmp
export STARTED=$PWD/started TMPDIR=$PWD/tmp
setsid env PATH="$PWD:$PATH" $T report --store r.db -o out.html & pid=$!
until [ -e started ] || ! kill -0 $pid; do sleep 0.02; done
kill -TERM $pid; wait $pid; echo "exit $?"
ls tmp)");
  EXPECT_EQ(stopped.output, "exit 130\n") << stopped.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.html"));
}

TEST_F(Output, ImportReadsPipesAndTheStandardInput) {
  const ShellResult moved = shell(R"(
set -e
$T export --store r.db -o a.jsonl
$T import <(cat a.jsonl) --store pipe.db
cat a.jsonl | $T import - --store input.db
$T import /dev/stdin --store device.db < a.jsonl
for store in pipe input device; do $T export --store $store.db -o - | cmp - a.jsonl; done
echo same
$T import <(echo nothing) --store new.db || ls new.db* || echo refused)");
  EXPECT_THAT(moved.output, HasSubstr("same\nrefused\n")) << moved.errors;
}

// A limit on the size of files stands for the disk.
TEST_F(Output, AFullDiskInAnImportTakesNothingInAndLeavesNoLog) {
  ASSERT_EQ(shell(kRunTwo + "--replicates 2 --samples 2000 --warmup 2").exit_code, 0);
  const ShellResult full = shell(R"(
$T export --store r.db -o a.jsonl
trap '' XFSZ
ulimit -f 100
$T import a.jsonl --store full.db; echo "exit $?"
ls full.db*
$T runs --store full.db --format json)");
  EXPECT_THAT(full.output, HasSubstr("exit 3\nfull.db\n{")) << full.errors;
  EXPECT_THAT(full.output, HasSubstr("\"runs\": []"));
  EXPECT_THAT(full.errors, AllOf(HasSubstr("nothing was imported"), Not(HasSubstr("every replicate"))));
}

TEST_F(Output, AFullDiskAfterAnImportIsAWarning) {
  const ShellResult imported = shell(R"SHELL(
$T export --store r.db -o a.jsonl
$T import a.jsonl --store full.db
/usr/bin/python3 - <<'PYTHON'
import sqlite3
store = sqlite3.connect("full.db", isolation_level=None)
store.execute("DELETE FROM summary")
store.execute("DROP TABLE summary")
store.execute("CREATE TABLE summary (plan_case INTEGER PRIMARY KEY, version INTEGER CHECK (version < 0), document TEXT)")
PYTHON
$T import a.jsonl --store full.db; echo "exit $?")SHELL");
  EXPECT_THAT(imported.output, HasSubstr("replicate already there\nexit 0"));
  EXPECT_THAT(imported.errors, HasSubstr("warning: everything was imported"));
}

TEST_F(Output, AnErrorThatCannotBePrintedStillHasItsExitCode) {
  EXPECT_EQ(shell("$T show --store none.db 2>/dev/full").exit_code, 3);
}

}  // namespace
}  // namespace transformeter
