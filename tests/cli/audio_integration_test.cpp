// Models that read sounds, as a user measures and asks them, with the real worker.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/forecast_case.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Audio : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  static std::string source(const std::string& path) { return (source_directory() / "tests/data" / path).string(); }

  // A sound for each of the tiny models' classes.
  void put_sounds() const {
    const std::vector<std::string> files{"pcm_16.wav", "48000.flac", "stereo.wav", "pcm_16.wav", "8000.wav"};
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::filesystem::path folder = folder_.path() / "sounds" / ("LABEL_" + std::to_string(i));
      std::filesystem::create_directories(folder);
      std::filesystem::copy_file(source("audio/" + files[i]), folder / files[i]);
    }
  }

  // What Transformers says of each, the last with a word more.
  void put_transcripts() const {
    put_sounds();
    const Json sounds = parse_json("sounds.json", read_file(source("models/tiny-wav2vec2/sounds.json")));
    std::string table = "path\ttranscript\n";
    table += "sounds/LABEL_0/pcm_16.wav\t" + sounds.at("pcm_16.wav").at("text").get<std::string>() + "\n";
    table += "sounds/LABEL_2/stereo.wav\t" + sounds.at("stereo.wav").at("text").get<std::string>() + "\n";
    table += "sounds/LABEL_4/8000.wav\t" + sounds.at("8000.wav").at("text").get<std::string>() + " more\n";
    folder_.write("t.tsv", table);
  }
  ShellResult run(const std::string& options) const {
    return shell("$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 4 " + options);
  }
};

TEST_F(Audio, IsMeasuredInFrames) {
  const ShellResult result =
      run("--model wav2vec2-test --audio-seconds 0.5,1 --batch-size 2 --precision fp32,bf16 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 8U);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("synthetic sounds of 0.5 s; 2 sounds"), HasSubstr("synthetic sounds of 1 s")));
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.requested.at("task"), "speech_recognition");
    EXPECT_EQ(one.requested.at("data"), "synthetic");
    EXPECT_FALSE(one.requested.contains("sequence_length")) << "settings of texts do not apply";
    EXPECT_FALSE(one.requested.contains("batching"));
    const bool is_half = one.requested.at("audio_seconds") == 0.5;
    EXPECT_EQ(one.effective.at("data").at("samples"), is_half ? 8000 : 16000);
    EXPECT_EQ(one.effective.at("cycle").at("useful_tokens"), 2 * (is_half ? 24 : 49));
  }
}

TEST_F(Audio, RunsEveryTaskAndInt8) {
  const ShellResult result =
      run("--model wav2vec2-test --task audio_classification,audio_embedding --audio-seconds 0.3 --batch-size 1 "
          "--precision "
          "fp32,int8");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("wrong_precision")));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    if (one.requested.at("precision") != "int8") continue;
    SCOPED_TRACE(one.effective.at("linear_types").dump());
    EXPECT_EQ(one.effective.at("precision"), "int8");
    std::int64_t kept = 0, small = 0;
    for (const Json& type : one.effective.at("linear_types")) {
      if (type.at("weight") == "int8") continue;
      EXPECT_EQ(type.at("weight"), "fp32");
      EXPECT_TRUE(type.at("small").get<bool>());
      (type.at("kept").get<bool>() ? kept : small) += type.at("count").get<std::int64_t>();
    }
    EXPECT_EQ(kept, 7 + 1) << "the feature encoder's convolutions, and the positional one";
    EXPECT_EQ(small, one.requested.at("task") == "audio_classification" ? 1 : 0) << "a classifier of 2 classes";
  }
}

TEST_F(Audio, IsAnsweredByFile) {
  const ShellResult text = shell("$T predict --model " + source("models/tiny-wav2vec2") + " --audio " +
                                 source("audio/stereo.wav") + " " + source("audio/8000.wav"));
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  const Json sounds = parse_json("sounds.json", read_file(source("models/tiny-wav2vec2/sounds.json")));
  EXPECT_THAT(text.output, AllOf(HasSubstr("stereo.wav"), HasSubstr(sounds.at("stereo.wav").at("text").dump()),
                                 HasSubstr(sounds.at("8000.wav").at("text").dump())));
  const ShellResult classes =
      shell("$T predict --model " + source("models/tiny-wav2vec2") +
            " --task audio_classification --format table --audio " + source("audio/stereo.wav"));
  ASSERT_EQ(classes.exit_code, 0) << classes.errors;
  EXPECT_THAT(classes.output, AllOf(HasSubstr("audio"), HasSubstr("LABEL_2")));
}

// Of the four files Transformers says LABEL_2 (sounds.json).
TEST_F(Audio, AreAnsweredAndScoredByFolder) {
  put_sounds();
  const std::string model = "$T predict --model " + source("models/tiny-wav2vec2") + " --task audio_classification ";
  const ShellResult answered = shell(model + "--data sounds");
  ASSERT_EQ(answered.exit_code, 0) << answered.errors;
  EXPECT_THAT(answered.output, AllOf(HasSubstr(R"("index":0,"audio":"sounds/LABEL_0/pcm_16.wav","label":"LABEL_2")"),
                                     HasSubstr(R"("index":4,"audio":"sounds/LABEL_4/8000.wav","label":"LABEL_2")")));
  const ShellResult scored = shell(model +
                                   "--data sounds --labels LABEL_0,LABEL_1,LABEL_2,LABEL_3,LABEL_4 "
                                   "--format predictions -o p.txt && $T score --task audio_classification "
                                   "--data sounds --predictions p.txt --format json >s.json");
  ASSERT_EQ(scored.exit_code, 0) << scored.errors;
  const Json scores = Json::parse(read_file(folder_.path() / "s.json"));
  EXPECT_EQ(scores.at("task"), "audio_classification");
  EXPECT_DOUBLE_EQ(scores.at("scores").at(0).at("value"), 0.2) << "one of five lies in the folder LABEL_2";
}

TEST_F(Audio, AreAnsweredByTableWithIds) {
  put_sounds();
  folder_.write("t.jsonl", R"({"id": "u1", "path": "sounds/LABEL_2/stereo.wav", "text": "A"})"
                           "\n"
                           R"({"id": "u2", "path": "sounds/LABEL_4/8000.wav", "text": "B"})"
                           "\n");
  const Json sounds = parse_json("sounds.json", read_file(source("models/tiny-wav2vec2/sounds.json")));
  const ShellResult answered = shell("$T predict --model " + source("models/tiny-wav2vec2") + " --data t.jsonl");
  ASSERT_EQ(answered.exit_code, 0) << answered.errors;
  EXPECT_THAT(answered.output,
              AllOf(HasSubstr(R"("index":0,"id":"u1","audio":"sounds/LABEL_2/stereo.wav","transcript":)" +
                              sounds.at("stereo.wav").at("text").dump()),
                    HasSubstr(R"("index":1,"id":"u2")"), HasSubstr(sounds.at("8000.wav").at("text").dump())));
}

// The references are what Transformers says, one of them with a word more: of 8 words 1 is missing.
TEST_F(Audio, TranscriptsAreScored) {
  put_transcripts();
  const std::string model = "$T predict --model " + source("models/tiny-wav2vec2") + " --data t.tsv ";
  const ShellResult document = shell(model + "--format json");
  ASSERT_EQ(document.exit_code, 0) << document.errors;
  const Json scores = Json::parse(document.output).at("scores");
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores.at(0).at("score"), "word_error_rate");
  EXPECT_EQ(scores.at(0).at("value"), 1 / 8.0);
  EXPECT_EQ(scores.at(0).at("n"), 8);
  const ShellResult table = shell(model + "--format table");
  EXPECT_THAT(table.output, AllOf(HasSubstr("speech_recognition (errors of words and characters as in jiwer 4.0"),
                                  HasSubstr("character_error_rate")));
  const ShellResult lines = shell(model);
  EXPECT_THAT(lines.output, Not(HasSubstr("error_rate"))) << "lines are answers alone";
  EXPECT_THAT(lines.errors, HasSubstr("word_error_rate 0.1250, character_error_rate 0."));
  const ShellResult scored = shell(model +
                                   "--format predictions -o p.jsonl && $T score --task asr --data t.tsv "
                                   "--predictions p.jsonl --format json >s.json");
  ASSERT_EQ(scored.exit_code, 0) << scored.errors;
  EXPECT_EQ(Json::parse(read_file(folder_.path() / "s.json")).at("scores"), scores);
}

TEST_F(Audio, OfADataSetThatCannotBeReadAreNamed) {
  put_sounds();
  folder_.write("sounds/LABEL_2/cut.wav", read_file(source("audio/pcm_16.wav")).substr(0, 100));
  folder_.write("none.csv", "path,text\nsounds/LABEL_0/pcm_16.wav,a\nnone.wav,b\n");
  folder_.write("columns.csv", "name,text\nx,y\n");
  const auto refused = [&](const std::string& data, const std::vector<std::string>& parts) {
    const ShellResult result = shell("$T predict --model " + source("models/tiny-wav2vec2") + " --data " + data);
    EXPECT_EQ(result.exit_code, 3) << data << result.output;
    for (const std::string& part : parts) EXPECT_THAT(result.errors, HasSubstr(part)) << data;
  };
  refused("sounds", {"input 2 (from 0)", "sounds/LABEL_2/cut.wav"});
  refused("none.csv", {"none.csv:3: sound 'none.wav'", "there is no file"});
  refused("columns.csv", {"columns (name, text)", "paths of sounds"});
  refused("sounds/LABEL_2", {"it has no folders"});
  refused("missing", {"no such file or folder"});
}

TEST_F(Audio, RefusesWhatDoesNotFit) {
  const auto refused = [&](const std::string& command, const std::string& part) {
    const ShellResult result = shell("$T " + command);
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_THAT(result.errors, HasSubstr(part)) << command;
  };
  const std::string model = source("models/tiny-wav2vec2");
  refused("predict --model " + model + " --text hi", "--audio");
  refused("predict --model " + model + " --image x.png", "--audio");
  refused("predict --model " + model + " --data x.csv", "no such file or folder");
  refused("predict --model bert-test --audio x.wav", "--audio is for models that read sounds");
  refused("predict --model " + model + " --audio none.wav", "none.wav");
  refused("predict --model " + model + " --audio " + source("images/420.jpg"), "420.jpg");
  refused("run --store r.db --model wav2vec2-test --data sounds", "predict for sound files");
  refused("run --store r.db --model bert-test --audio-seconds 3", "audio_seconds only applies to");
  refused("tokenize --model " + model + " hi", "it reads no texts");
}

TEST_F(Audio, OfNoFrameIsNoShapeForTheModel) {
  const ShellResult result = run("--model wav2vec2-test --audio-seconds 0.01 --batch-size 1 --precision fp32");
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 1U);
  EXPECT_EQ(stored.cases.at(0).status, Status::kUnsupportedShape);
  EXPECT_THAT(stored.cases.at(0).status_reason, AllOf(HasSubstr("0.01"), HasSubstr("400")));
}

TEST_F(Audio, ABatchThatIsTooLargeLeavesTheOthersTheirRun) {
  const ShellResult result =
      run("--model wav2vec2-test --task audio_embedding --audio-seconds 0.1,10000 --batch-size 8 --precision fp32");
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U) << result.errors;
  EXPECT_EQ(stored.cases.at(0).status, Status::kOk);
  EXPECT_EQ(stored.cases.at(1).status, Status::kUnsupportedShape);
  EXPECT_THAT(stored.cases.at(1).status_reason, HasSubstr("smaller --batch-size"));
}

}  // namespace
}  // namespace transformeter
