// Profiles in the store, through the real command with the fake worker: kept, listed, shown again, compared with, and
// in the reports of runs.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/subprocess.h"
#include "cli/shell.h"
#include "store/profile_store.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ProfilesCommandTest : public CommandTest {
 protected:
  static std::string profile(const std::string& options, const std::string& batch_sizes = "1") {
    return "$T profile --model bert-test --sequence-length 16 --store r.db --batch-size " + batch_sizes + " " + options;
  }
  ShellResult profiles(const std::string& arguments) const { return shell("$T profiles --store r.db " + arguments); }
  std::vector<ProfileRecord> stored() const {
    return open_profile_store(folder_.path() / "r.db", StoreMode::kRead)->list();
  }
  std::string file(const std::string& name) const { return read_file_or_empty(folder_.path() / name); }
};

TEST_F(ProfilesCommandTest, ShowsAgainWhatWasPrinted) {
  const ShellResult made = shell(profile("--name mine", "1,2"));
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const ShellResult shown = profiles("mine");
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, AllOf(HasSubstr(" (mine), started 20"), HasSubstr("c02 "), EndsWith(made.output)));
  const ShellResult as_json = shell(profile("--format json --record work,memory"));
  EXPECT_EQ(as_json.output, profiles("latest --format json").output);
  EXPECT_EQ(Json::parse(as_json.output).at("id"), stored().front().id);
  EXPECT_EQ(Json::parse(as_json.output).at("name"), nullptr);
  const ShellResult as_csv = shell(profile("--format csv", "1,2"));
  EXPECT_EQ(as_csv.output, profiles("latest --format csv").output);
  EXPECT_THAT(profiles("mine --top 1").output, AllOf(HasSubstr("aten::addmm"), Not(HasSubstr("(outside operators)"))));
}

TEST_F(ProfilesCommandTest, WritesTheFilesAgain) {
  ASSERT_EQ(shell(profile("--stacks a.folded --flame-graph a.svg -o a.csv", "1,2")).exit_code, 0);
  ASSERT_EQ(profiles("latest --stacks b.folded --flame-graph b.svg -o b.csv").exit_code, 0);
  for (const char* name : {"-c01.folded", "-c02.folded", "-c01.svg", "-c02.svg", ".csv"}) {
    EXPECT_NE(file("a" + std::string(name)), "") << name;
    EXPECT_EQ(file("a" + std::string(name)), file("b" + std::string(name))) << name;
  }
  const ShellResult of_all = profiles("--stacks s");
  EXPECT_EQ(of_all.exit_code, 3);
  EXPECT_THAT(of_all.errors, AllOf(HasSubstr("--stacks applies to one profile"), HasSubstr("latest")));
  ASSERT_EQ(shell(profile("")).exit_code, 0);
  EXPECT_EQ(profiles("latest --stacks r.db").exit_code, 3) << "the store itself";
  EXPECT_THAT(profiles("latest --flame-graph g.png").errors, HasSubstr("a file name that ends in .svg"));
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox";
  const ShellResult none = profiles("latest --memory-plot m.svg");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.errors, AllOf(HasSubstr("holds no memory over time"), HasSubstr("--record memory")));
}

TEST_F(ProfilesCommandTest, ListsEachCaseTheLatestCommandFirst) {
  ASSERT_EQ(shell(profile("--name \"$(printf 'a\\nb')\"")).exit_code, 0);
  const Json second_fails = {
      {"cases", {{{"when", {{"batch_size", 2}}}, {"faults", {{{"kind", "failed"}, {"at", "profile"}}}}}}}};
  EXPECT_EQ(shell(profile("--name mixed", "1,2"), second_fails).exit_code, 1);
  const Json list = Json::parse(profiles("--format json").output).at("profiles");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list.at(0).at("name"), "mixed");
  EXPECT_EQ(list.at(0).at("status"), "ok");
  EXPECT_EQ(list.at(1).at("case"), "c02");
  EXPECT_EQ(list.at(1).at("status"), "failed");
  EXPECT_THAT(list.at(1).at("reason").get<std::string>(), HasSubstr("a fault was asked for"));
  EXPECT_EQ(list.at(1).at("requested").at("batch_size"), 2);
  EXPECT_EQ(list.at(2).at("name"), "a\nb");
  const std::string table = profiles("").output;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << "a heading and a line each: " << table;
  EXPECT_THAT(profiles("--format csv").output,
              AllOf(HasSubstr("id,name,started_at,case,label,engine,status,reason\r\n"), HasSubstr(",\"a\nb\",")));
  EXPECT_THAT(profiles("mixed").output, HasSubstr("failed: a fault was asked for"));
}

TEST_F(ProfilesCommandTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(profiles("").exit_code, 3);
  EXPECT_THAT(profiles("").errors,
              HasSubstr("no store at 'r.db'; create one with `transformeter profile --store r.db`"));
  ASSERT_EQ(shell(kRunOne).exit_code, 0);
  EXPECT_EQ(profiles("").exit_code, 0);
  EXPECT_THAT(profiles("").errors, HasSubstr("make one with `transformeter profile --store r.db`"));
  EXPECT_EQ(profiles("latest").exit_code, 3);
  EXPECT_THAT(profiles("latest").errors, HasSubstr("`transformeter profile --store r.db`"));
  ASSERT_EQ(shell(profile("--name before")).exit_code, 0);
  const ShellResult none = profiles("befor");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.errors, AllOf(HasSubstr("profile 'befor' is not in 'r.db'"), HasSubstr("Did you mean 'before'?")));
  EXPECT_THAT(shell(profile("--name latest")).errors, HasSubstr("name 'latest' is not valid"));
  EXPECT_THAT(shell(profile("--name a.json")).errors, HasSubstr("name 'a.json' is not valid"));
  EXPECT_EQ(profiles("latest --format yaml").exit_code, 3);
  EXPECT_EQ(profiles("latest --depth 0").exit_code, 3);
}

TEST_F(ProfilesCommandTest, AreComparedWith) {
  ASSERT_EQ(shell(profile("--name before --attention eager")).exit_code, 0);
  const ShellResult against = shell(profile("--attention sdpa --against before"));
  ASSERT_EQ(against.exit_code, 0) << against.errors;
  EXPECT_THAT(against.output, AllOf(HasSubstr(": 12.0 ms a pass, before 12.0 ms (speed-up 1.00, before ÷ after)"),
                                    HasSubstr("\nchanged: attention eager → sdpa\n")));
  EXPECT_THAT(shell(profile("--attention sdpa --against latest")).output, HasSubstr("\nthe same settings\n"));
  const Json dies = {{"faults", {{{"kind", "crash"}, {"at", "prepare"}}}}};
  const auto refused = [&](const std::string& command, const char* why) {
    const ShellResult result = shell(command, dies);
    EXPECT_EQ(result.exit_code, 3) << command << result.errors;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("against"), HasSubstr(why))) << command;
    EXPECT_EQ(result.output, "") << "before anything is profiled";
  };
  refused(profile("--against befor"), "Did you mean 'before'?");
  refused(profile("--against before.json"), "before.json");
  refused(profile("--against latest", "2"), "of other work: batch_size 1 → 2");
  folder_.write("before", "no profile");
  refused(profile("--against before"), "before");  // a file of that name comes first
  EXPECT_EQ(shell(profile("--name broken"), dies).exit_code, 1);
  refused(profile("--against broken"), "it holds no profile that is ok");
  EXPECT_EQ(profiles("broken").exit_code, 0) << "and says why it failed";
  const ShellResult drawn = profiles("broken --stacks s");
  EXPECT_EQ(drawn.exit_code, 3);
  EXPECT_THAT(drawn.errors, AllOf(HasSubstr("has no case that is ok"), HasSubstr("leave out --stacks")));
}

// The fake worker hangs in the second case, so that there is something to interrupt.
TEST_F(ProfilesCommandTest, AreWholeAfterAnInterruption) {
  const Json second_hangs = {
      {"cases",
       {{{"when", {{"batch_size", 2}}}, {"faults", {{{"kind", "hang"}, {"at", "profile"}, {"once", "struck"}}}}}}}};
  const ShellResult stopped =
      shell(profile("--name mine", "1,2") +
                " & pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
            second_hangs);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  const std::vector<ProfileRecord> records = stored();
  ASSERT_EQ(records.size(), 1U) << "the one that was stopped has no result";
  EXPECT_EQ(records[0].case_id, "c01");
  EXPECT_TRUE(records[0].is_ok());
}

TEST_F(ProfilesCommandTest, AnInterruptionWinsOverAFullDiskWhichIsToldToo) {
  ASSERT_EQ(shell(profile("")).exit_code, 0);
  const Json last_hangs = {
      {"cases",
       {{{"when", {{"batch_size", 8}}}, {"faults", {{{"kind", "hang"}, {"at", "profile"}, {"once", "struck"}}}}}}}};
  const ShellResult stopped =
      shell("trap '' XFSZ; ulimit -f 64; " + profile("--passes 1000", "1,2,3,4,5,6,7,8") +
                " & pid=$!; until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
            last_hangs);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  EXPECT_THAT(stopped.errors, HasSubstr("every profile stored so far is kept"));
}

// A limit on the size of files stands for the disk. Profiles of 1000 passes have as many latencies.
TEST_F(ProfilesCommandTest, AFullDiskIsToldAfterTheTables) {
  ASSERT_EQ(shell(profile("")).exit_code, 0);
  const std::string many = "1,2,3,4,5,6,7,8";
  const ShellResult full = shell("trap '' XFSZ; ulimit -f 64; " + profile("--passes 1000", many));
  EXPECT_EQ(full.exit_code, 3) << full.errors;
  EXPECT_THAT(full.errors, AllOf(HasSubstr("r.db"), HasSubstr("every profile stored so far is kept")));
  EXPECT_THAT(full.output, AllOf(HasSubstr("c01 "), HasSubstr("c08 ")));
  EXPECT_LT(stored().size(), 9U);
  const std::size_t before = stored().size();
  EXPECT_EQ(shell(profile("--passes 1000", many)).exit_code, 0) << "with room again";
  EXPECT_EQ(stored().size(), before + 8);
}

TEST_F(ProfilesCommandTest, AReportOfARunShowsThoseOfItsCases) {
  ASSERT_EQ(shell(kRunTwo + "--samples 20").exit_code, 0);
  ASSERT_EQ(shell(profile("--name '<script>alert(1)</script>'", "1,2")).exit_code, 0);
  ASSERT_EQ(shell("$T report --store r.db -o r.md && PATH=/nowhere $T report --store r.db -o r.html").exit_code, 0);
  EXPECT_THAT(file("r.md"), AllOf(HasSubstr("## Where the time goes"), HasSubstr("9.00 ms of 12.0 ms (75 %)")));
  const std::string times = "without the profiler, 12.0 ms";
  ASSERT_THAT(file("r.md"), HasSubstr(times));
  EXPECT_EQ(file("r.md").find(times), file("r.md").rfind(times)) << "the run has no case of batch size 2";
  EXPECT_THAT(file("r.html"), AllOf(HasSubstr("Where the time goes"), Not(HasSubstr("<script>alert"))));
  const std::string id = stored().front().id;
  EXPECT_THAT(file("r.md"), HasSubstr(id));
  ASSERT_EQ(shell(profile("")).exit_code, 0);
  ASSERT_EQ(shell("$T report --store r.db -o r.md").exit_code, 0);
  EXPECT_THAT(file("r.md"), AllOf(HasSubstr(stored().front().id), Not(HasSubstr(id)))) << "the latest of a case";
}

}  // namespace
}  // namespace transformeter
