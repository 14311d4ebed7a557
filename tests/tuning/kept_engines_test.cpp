// Choices of engine `auto` in files: what comes back, and what becomes of files of others.
#include "tuning/kept_engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class KeptEngines : public testing::Test {
 protected:
  static EngineChoice choice(const std::string& attention = "math", const std::string& tried_at = "2026-11-26") {
    EngineChoice one;
    one.start = "fast";
    one.changes = {{"attention", attention}, {"streams", 1}};
    one.end = SearchEnd::kBetter;
    one.objective = "latency";
    one.speed_up = Quotient{1.25, 1.125, 1.5};
    one.tried = 12;
    one.all_compared = true;
    one.trial_time_s = 60;
    one.runs = {"20261126-1"};
    one.tried_at = tried_at;
    one.what = "b8 t128";
    return one;
  }
  void keep(const std::string& key, const EngineChoice& one) const {
    keep_engine(folder_.path(), "abc", key, one, log_);
  }
  std::optional<EngineChoice> kept(const std::string& key, const std::string& fingerprint = "abc") const {
    return kept_engine(folder_.path(), fingerprint, key);
  }
  static std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  }
  std::filesystem::path file() const { return folder_.path() / "engines/abc.json"; }

  Log log_ = [this](LogLevel, std::string_view line) { logged_.emplace_back(line); };
  mutable std::vector<std::string> logged_;
  TemporaryDirectory folder_;
};

TEST_F(KeptEngines, AreFoundByTheirKeyOnTheirMachine) {
  EXPECT_FALSE(kept("one"));
  keep("one", choice());
  ASSERT_TRUE(kept("one"));
  EXPECT_EQ(Json(*kept("one")), Json(choice()));
  EXPECT_FALSE(kept("two"));
  EXPECT_FALSE(kept("one", "def"));
  EXPECT_FALSE(kept_engine({}, "abc", "one")) << "no folder to keep them in";
  EXPECT_THAT(logged_, IsEmpty());
}

TEST_F(KeptEngines, OfMemoryHaveNoSpeedUp) {
  EngineChoice one = choice();
  one.speed_up.reset();
  one.memory_ratio = 0.75;
  one.end = SearchEnd::kNoBetter;
  keep("one", one);
  EXPECT_EQ(Json(*kept("one")), Json(one));
}

TEST_F(KeptEngines, ThatAreProbablyBetterSayByHowMuch) {
  EngineChoice one = choice();
  one.end = SearchEnd::kLikelyBetter;
  keep("one", one);
  EXPECT_EQ(Json(*kept("one")), Json(one));
  one.speed_up.reset();
  keep("one", one);
  EXPECT_FALSE(kept("one")) << "no gain";
}

TEST_F(KeptEngines, TakeThePlaceOfEarlierOnes) {
  keep("one", choice("math", "2026-11-24"));
  keep("two", choice("eager", "2026-11-25"));
  keep("one", choice("flash", "2026-11-26"));
  EXPECT_EQ(kept("one")->changes.at("attention"), "flash");
}

TEST_F(KeptEngines, TheOldestGoWhereThereAreMany) {
  Json many = {{"version", 1}, {"choices", Json::object()}};
  for (int i = 0; i < 500; ++i) many["choices"][std::to_string(i)] = choice("math", std::to_string(10000 + i));
  std::filesystem::create_directories(file().parent_path());
  write_file_atomically(file(), many.dump());
  keep("500", choice("math", "10500"));
  EXPECT_FALSE(kept("0"));
  EXPECT_TRUE(kept("1"));
  EXPECT_TRUE(kept("500"));
}

TEST_F(KeptEngines, DamagedOrForeignFilesAreMadeAgain) {
  keep("one", choice());
  const std::string whole = read_file(file());
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("garbage"), std::string(),
                                  std::string(R"({"version": 2, "choices": {}})"),
                                  std::string(R"({"version": 1, "choices": {"one": {"end": 7}}})"),
                                  replaced(whole, "\"better\"", "\"best\""), replaced(whole, "1.25", "null")}) {
    write_file_atomically(file(), text);
    EXPECT_FALSE(kept("one")) << text;
    keep("two", choice());
    EXPECT_TRUE(kept("two")) << text;
  }
}

TEST_F(KeptEngines, WhatCannotBeWrittenIsAWarning) {
  write_file_atomically(folder_.path() / "engines", "a file where the folder should be");
  keep("one", choice());
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_THAT(logged_[0], HasSubstr("the choice of engine auto is not kept"));
}

TEST_F(KeptEngines, OfSeveralProcessesAtOnceAreAllKept) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { keep_engine(folder_.path(), "abc", std::to_string(i), choice(), {}); });
  }
  for (std::thread& one : threads) one.join();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(kept(std::to_string(i))) << i;
}

}  // namespace
}  // namespace transformeter
