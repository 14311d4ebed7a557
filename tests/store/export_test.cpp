// What leaves a store as JSON Lines comes back the same, and what is no export stays outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/files.h"
#include "store/export_jsonl.h"
#include "store/import_jsonl.h"
#include "store/sqlite.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string exported(const std::filesystem::path& store, const std::vector<std::string>& selectors = {}) {
  std::string text;
  export_jsonl(*open_store(store, StoreMode::kRead), selectors, [&](std::string_view piece) { text.append(piece); });
  return text;
}

JoinOutcome import_file(const std::filesystem::path& file, const std::filesystem::path& store) {
  return open_store(store, StoreMode::kWrite)->join(import_source({file}), {});
}

std::filesystem::path write_text(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

RunRecord awkward_run(const std::string& id) {
  RunRecord run = run_of(id, "quotes \" and\nlines\t\xE2\x80\xA8 and \\", 3);
  run.host["nothing"] = nullptr;
  run.host["large"] = std::numeric_limits<std::uint64_t>::max();
  run.host["small"] = 0.1;
  ReplicateRecord replicate = replicate_of(0);
  Series wide = awkward_series();
  wide.name = "wide";
  wide.value[0] = std::numeric_limits<double>::max();
  wide.value[1] = 1.0 / 3;
  wide.value[2] = -std::nan("");
  wide.value[3] = 1e22;
  replicate.series = {awkward_series(), scalar_series("load_time", 2.0), wide};
  run.cases[0].replicates = {replicate, replicate_of(4, Status::kCrashed, "SIGSEGV")};
  run.cases[0].status = Status::kOk;
  run.cases[0].key = "key";
  run.cases[0].effective = {{"threads", 2}};
  run.cases[1].status = Status::kUnsupported;
  run.cases[1].status_reason = "no kernel";
  return run;
}

class Export : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = open_store(a_, StoreMode::kWrite);
    store->begin_run(awkward_run("z"));
    store->begin_run(awkward_run("b"));
    store->begin_run(run_of("empty", "", 0));
  }

  std::string file_of(const std::filesystem::path& store) const {
    return write_text(folder_ / "a.jsonl", exported(store));
  }

  TemporaryFolder folder_;
  std::filesystem::path a_ = folder_ / "a.db";
  std::filesystem::path b_ = folder_ / "b.db";
};

TEST_F(Export, ComesBackByteForByteWithEveryAwkwardNumber) {
  const std::string text = exported(a_);
  const JoinOutcome outcome = import_file(write_text(folder_ / "a.jsonl", text), b_);
  EXPECT_EQ(outcome.runs_added, 3u);
  EXPECT_EQ(outcome.cases_added, 6u);
  EXPECT_EQ(outcome.replicates_added, 4u);
  EXPECT_TRUE(exported(b_) == text);
  const auto before = open_store(a_, StoreMode::kRead);
  const auto after = open_store(b_, StoreMode::kRead);
  for (const char* id : {"z", "b", "empty"}) {
    EXPECT_EQ(image(after->load_run(id, true)), image(before->load_run(id, true))) << id;
  }
}

TEST_F(Export, IsInTheOrderOfTheRunsWhateverTheirArrival) {
  const auto store = open_store(b_, StoreMode::kWrite);
  for (const char* id : {"empty", "b", "z"}) store->begin_run(open_store(a_, StoreMode::kRead)->load_run(id, true));
  EXPECT_TRUE(exported(b_) == exported(a_));
}

TEST_F(Export, TakesTheRunsAskedForEachOnce) {
  const std::string text = exported(a_, {"z", "empty", "z"});
  EXPECT_THAT(text, AllOf(HasSubstr(R"("end":{"cases":3,"replicates":2,"runs":2})"), HasSubstr(R"("id":"z")")));
  EXPECT_THAT(error_of([&] { exported(a_, {"nobody"}); }).what(), HasSubstr("nobody"));
}

TEST_F(Export, WritesSamplesInTheFormThatIsDocumented) {
  std::string text;
  for (const double value : awkward_series().value) {
    append_sample(text, value);
    text.push_back(' ');
  }
  EXPECT_EQ(text, "0 -0.0 -1.5 \"NaN:7ff8000000000007\" \"Infinity\" \"-Infinity\" 5e-324 0.1 ");
}

TEST_F(Export, ImportedTwiceChangesNothing) {
  const std::string file = file_of(a_);
  import_file(file, b_);
  const std::string once = exported(b_);
  const JoinOutcome again = import_file(file, b_);
  EXPECT_EQ(again.runs_added + again.cases_added + again.replicates_added, 0u);
  EXPECT_EQ(again.replicates_known, 4u);
  EXPECT_TRUE(exported(b_) == once);
  EXPECT_EQ(import_file(file, a_).replicates_known, 4u) << "into the store it came from";
}

TEST_F(Export, SeveralExportsMayBeJoinedEndToEnd) {
  const std::string text = exported(a_, {"z"}) + exported(a_, {"b"});
  EXPECT_EQ(import_file(write_text(folder_ / "both.jsonl", text), b_).runs_added, 2u);
}

TEST_F(Export, CutShortAnywhereItIsRefusedAndNothingIsImported) {
  const std::string text = exported(a_);
  open_store(b_, StoreMode::kWrite)->begin_run(run_of("mine"));
  const std::string before = exported(b_);
  const std::filesystem::path file = folder_ / "cut.jsonl";
  std::vector<std::size_t> cuts{0, 1, text.size() - 1};
  for (std::size_t at = 13; at < text.size(); at += 211) cuts.push_back(at);
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) cuts.push_back(at + 1);
  for (const std::size_t cut : cuts) {
    const Error error = error_of([&] { import_file(write_text(file, text.substr(0, cut)), b_); });
    ASSERT_EQ(error.kind(), ErrorKind::kBadInput) << cut;
    ASSERT_THAT(error.what(), StartsWith(file.string() + ":")) << cut;
  }
  EXPECT_TRUE(exported(b_) == before);
}

struct Fault {
  std::string from;
  std::string to;
  int line;
  std::string message;
};

TEST_F(Export, NamesFileLineAndFieldOfEachFault) {
  const std::string text = exported(a_, {"b"});
  const std::vector<Fault> faults{
      {R"("schema_version":1)", R"("schema_version":2)", 1, "schema version 2, this program supports up to 1"},
      {R"("format":"transformeter-export",)", "", 1, "not an export"},
      {R"({"run":{)", R"({"walk":{)", 2, "line 'walk' is not known; allowed: run, case, replicate, end"},
      {R"("replicates_planned":3)", R"("replicates_planned":"3")", 2,
       "field 'replicates_planned': expected a whole number"},
      {R"("replicates_planned":3)", R"("replicates_planned":4294967296)", 2,
       "field 'replicates_planned': expected a whole"},
      {R"("replicates_planned":3)", R"("replicates_planned":3,"more":1)", 2, "field 'more': is unknown"},
      {R"("replicates_planned":3)", R"("replicates_planned":3,"role":"star")", 2, "role 'star' is not known"},
      {R"(,"position":0)", "", 3, "field 'position': is missing"},
      {R"("run":"b","status":"ok")", R"("run":"c","status":"ok")", 3, "a case of run 'c' must come after that run"},
      {R"("status":"ok")", R"("status":"fine")", 3, "status 'fine' is not known"},
      {R"("case":"c0","index":0)", R"("case":"c1","index":0)", 4, "a replicate of case 'c1' must come after that case"},
      {R"("index":[0,1,2,3,)", R"("index":[1,2,3,)", 4, "field 'index': has 7 elements, and 'value' has 8"},
      {R"("NaN:7ff8000000000007")", R"("NaN:0000000000000007")", 4, "field 'value': expected numbers or the strings"},
      {R"("flags":[3,1,)", R"("flags":[-3,1,)", 4, "field 'flags': expected a whole number from 0 to 4294967295"},
      {R"("flags":[3,1,)", R"("flags":[3,1 1,)", 4, "the line is not valid JSON (at byte"},
      {R"("status":"ok")", R"("status":"crashed")", 3,
       "case 'c0' is 'crashed' (''), but according to its replicates 'ok' ('')"},
      {R"("status":"ok","status_reason":"")", R"("status":"ok","status_reason":"?")", 3,
       "is 'ok' ('?'), but according to its replicates 'ok' ('')"},
      {R"("position":0)", R"("position":0,"position":1)", 3, "the field 'position' occurs twice"},
      {R"("cores":2)", R"("cores":2,"c\u006fres":4)", 2, "the field 'cores' occurs twice"},
      {R"("index":4)", R"("index":0)", 5, "replicate 0 comes after replicate 0"},
      {R"("runs":1)", R"("runs":2)", 8, "lines are missing or duplicated"},
  };
  open_store(b_, StoreMode::kWrite);
  for (const Fault& fault : faults) {
    std::string bad = text;
    const std::size_t at = bad.find(fault.from);
    ASSERT_NE(at, std::string::npos) << fault.from;
    bad.replace(at, fault.from.size(), fault.to);
    const std::filesystem::path file = write_text(folder_ / "bad.jsonl", bad);
    const Error error = error_of([&] { import_file(file, b_); });
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput) << fault.to;
    EXPECT_THAT(error.what(), StartsWith(file.string() + ":" + std::to_string(fault.line) + ": ")) << fault.to;
    EXPECT_THAT(error.what(), HasSubstr(fault.message)) << fault.to;
    EXPECT_TRUE(open_store(b_, StoreMode::kRead)->list_runs().empty()) << fault.to;
  }
}

TEST_F(Export, AConflictIsAtTheLineOfItsCase) {
  std::string text = exported(a_, {"b"});
  import_file(write_text(folder_ / "good.jsonl", text), b_);
  const std::size_t at = text.find(R"("unit":"s")");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, R"("unit":"h")");
  const std::filesystem::path file = write_text(folder_ / "bad.jsonl", text);
  EXPECT_THAT(error_of([&] { import_file(file, b_); }).what(),
              AllOf(StartsWith(file.string() + ":3: "), HasSubstr("replicate 0 of case 'c0'")));
}

TEST_F(Export, IsReadFromAPipe) {
  const std::string text = exported(a_);
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t writer = fork_child([&] {
    std::ofstream(pipe, std::ios::binary) << text;
    return 0;
  });
  import_file(pipe, b_);
  EXPECT_EQ(wait_for(writer), 0);
  EXPECT_TRUE(exported(b_) == text);
}

TEST_F(Export, RefusesWhatIsNoExportBeforeReadingItWhole) {
  const auto message_of = [](const std::filesystem::path& file) {
    return std::string(error_of([&] { import_source({file}); }).what());
  };
  EXPECT_THAT(message_of(a_), HasSubstr("is a store, not an export; merge it with `transformeter merge OUT"));
  EXPECT_THAT(message_of("/dev/zero"), HasSubstr("a line exceeds 4096 bytes"));
  EXPECT_THAT(message_of("/dev/null"), HasSubstr("the file is empty"));
  EXPECT_THAT(message_of(folder_ / "missing.jsonl"), HasSubstr("No such file"));
  EXPECT_THAT(message_of(folder_.path()), HasSubstr("Is a directory"));
  EXPECT_EQ(message_of(file_of(a_)), "");
}

TEST_F(Export, OfADamagedStoreFailsAndSaysWhich) {
  Database(a_, Database::Access::kReadWrite).execute("UPDATE series SET start_s = x'0102'");
  EXPECT_THAT(error_of([&] { exported(a_); }).what(), AllOf(HasSubstr("a.db"), HasSubstr("is damaged")));
}

}  // namespace
}  // namespace transformeter
