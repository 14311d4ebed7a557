// Models that read sounds, as a user measures and asks them, with the real worker.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/forecast_case.h"
#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "support/shared_data.h"
#include "support/wav_file.h"

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

  // 1 where nothing was compared.
  static double divergence_of(const CaseRecord& one) {
    const CaseAnalysis analysis = analyze_case(one);
    const MetricRow* const row = find_metric(analysis.metrics, "divergence", "");
    return row == nullptr ? 1 : row->value.value_or(1);
  }

  static std::vector<double> values_of(const CaseRecord& one, const std::string& name) {
    const Series* const series = find_series(one.replicates.at(0).series, name);
    return series == nullptr ? std::vector<double>() : series->value;
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

  void write_of_five_lengths() const {
    for (int i = 0; i < 5; ++i) folder_.write(std::to_string(i) + ".wav", wav_file(480 + 160 * i, 16'000, i + 1));
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

TEST_F(Audio, OfAFolderAreMeasuredAndScored) {
  put_sounds();
  const ShellResult result = run("--model " + source("models/tiny-wav2vec2") +
                                 " --task audio_classification --data sounds --batch-size 2 --precision fp32 "
                                 "--engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("sounds, SHA-256"), HasSubstr("; 5 sounds")));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_FALSE(one.requested.contains("audio_seconds"));
    EXPECT_FALSE(one.requested.contains("sequence_length"));
    EXPECT_EQ(one.effective.at("cycle").at("batches"), 3);
    EXPECT_EQ(one.effective.at("cycle").at("useful_tokens"), 5 * 39) << "frames of 480 samples each";
    EXPECT_EQ(first_value(one, "correct"), 1) << "Transformers says LABEL_2 of all";
    EXPECT_EQ(first_value(one, "evaluated"), 5);
    EXPECT_TRUE(one.effective.at("data").at("labels_by_position")) << "LABEL_0 is no name";
    EXPECT_LT(divergence_of(one), 1e-3) << "held against the reference";
    EXPECT_THAT(values_of(one, "audio_seconds"), testing::Pointwise(testing::DoubleEq(), {0.06, 0.06, 0.03}));
  }
}

TEST_F(Audio, TranscriptsOfARunAreScored) {
  put_transcripts();
  const ShellResult result =
      run("--model " + source("models/tiny-wav2vec2") + " --data t.tsv --batch-size 1,3 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("WER"));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.requested.at("task"), "speech_recognition");
    EXPECT_TRUE(one.effective.at("data").at("labelled"));
    EXPECT_THAT(values_of(one, "word_edits"), testing::ElementsAre(0, 0, 1)) << "in the order of the table";
    EXPECT_THAT(values_of(one, "reference_words"), testing::ElementsAre(1, 1, 6));
    EXPECT_EQ(values_of(one, "character_edits").back(), 5) << "\" more\"";
  }
}

TEST_F(Audio, FramesOfPaddingAreNoPartOfATranscript) {
  write_of_five_lengths();
  folder_.write("t.csv", "path,text\n0.wav,a\n1.wav,be\n2.wav,sea\n3.wav,deed\n4.wav,e e\n");
  const ShellResult result =
      run("--model " + source("models/tiny-wav2vec2-stable") + " --data t.csv --batch-size 1,5 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const char* name : {"word_edits", "character_edits"}) {
    EXPECT_EQ(values_of(stored.cases[0], name).size(), 5U);
    EXPECT_EQ(values_of(stored.cases[0], name), values_of(stored.cases[1], name)) << name;
  }
}

TEST_F(Audio, AFolderOfClassesHasNoTranscripts) {
  put_sounds();
  const ShellResult result =
      run("--model " + source("models/tiny-wav2vec2") + " --task speech_recognition --data sounds --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_FALSE(load().cases.at(0).effective.at("data").at("labelled").get<bool>());
}

TEST_F(Audio, OfSeveralLengthsArePaddedWhereTheModelTakesAMask) {
  write_of_five_lengths();
  folder_.write("t.csv", "path\n0.wav\n1.wav\n2.wav\n3.wav\n4.wav\n");
  const std::string options = " --task audio_classification --data t.csv --batch-size 1,5 --precision fp32";
  const ShellResult masked = run("--model " + source("models/tiny-wav2vec2-stable") + options);
  ASSERT_EQ(masked.exit_code, 0) << masked.errors << masked.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const bool is_batch = one.requested.at("batch_size") == 5;
    const Json& cycle = one.effective.at("cycle");
    EXPECT_EQ(cycle.at("useful_tokens") == cycle.at("processed_tokens"), !is_batch);
    EXPECT_EQ(one.effective.at("attention_mask"), is_batch ? "on" : "not_needed");
    EXPECT_LT(divergence_of(one), 1e-3) << "the same answers as one by one";
  }
  EXPECT_EQ(stored.cases[0].effective.at("cycle").at("useful_tokens"),
            stored.cases[1].effective.at("cycle").at("useful_tokens"));
  const ShellResult unmasked = run("--model " + source("models/tiny-wav2vec2") + options);
  EXPECT_EQ(unmasked.exit_code, 0) << unmasked.errors << unmasked.output;
  const RunRecord other = load();
  ASSERT_EQ(other.cases.size(), 2U);
  EXPECT_EQ(other.cases[0].status, Status::kOk) << other.cases[0].status_reason;
  EXPECT_EQ(other.cases[1].status, Status::kUnsupported);
  EXPECT_THAT(other.cases[1].status_reason, AllOf(HasSubstr("padding"), HasSubstr("use batch_size 1")));
}

TEST_F(Audio, OfRealSpeechRun) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const ShellResult result = run("--model wav2vec2-test --data " + (shared_data() / "audio/transcripts.tsv").string() +
                                 " --limit 4 --batch-size 1 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.effective.at("cycle").at("batches"), 4);
  EXPECT_EQ(find_series(one.replicates.at(0).series, "word_edits"), nullptr) << "a preset has no vocabulary";
}

// Of the four files Transformers says LABEL_2 (sounds.json), and the table's classes are 0 and 1.
TEST_F(Audio, ThatTheModelCallsByANumberOfNoClassOfTheirsAreNotScored) {
  put_sounds();
  folder_.write("t.csv", "path,label\nsounds/LABEL_0/pcm_16.wav,0\nsounds/LABEL_4/8000.wav,1\n");
  const ShellResult result =
      shell("$T predict --model " + source("models/tiny-wav2vec2") + " --task audio_classification --data t.csv");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("LABEL_2"));
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("accuracy")));
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

TEST_F(Audio, OfAFolderWithoutClassesAreAnsweredInTheOrderOfTheirNames) {
  put_sounds();
  std::filesystem::create_directory(folder_.path() / "flat");
  std::filesystem::copy_file(source("audio/pcm_16.wav"), folder_.path() / "flat/b.wav");
  std::filesystem::copy_file(source("audio/8000.wav"), folder_.path() / "flat/a.wav");
  const ShellResult result = shell("$T predict --model " + source("models/tiny-wav2vec2") + " --data flat");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json sounds = parse_json("sounds.json", read_file(source("models/tiny-wav2vec2/sounds.json")));
  const std::vector<std::string> lines = split(result.output, '\n');
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("flat/a.wav"), HasSubstr(sounds.at("8000.wav").at("text").dump())));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("flat/b.wav"), HasSubstr(sounds.at("pcm_16.wav").at("text").dump())));
  EXPECT_THAT(result.errors, Not(HasSubstr("error_rate"))) << "nothing says what is right";
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
  refused("sounds/LABEL_2", {"sounds/LABEL_2/cut.wav"});
  refused("missing", {"no such file or folder"});
}

TEST_F(Audio, TrainsOnRandomSounds) {
  const ShellResult result = shell(
      "$T train --model wav2vec2-test --task speech_recognition,audio_classification --audio-seconds 0.2 "
      "--precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing off,on --batch-size 2 --threads 1 "
      "--peaks off --replicates 1 --warmup 1 --samples 2 --store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("synthetic sounds of 0.2 s"), HasSubstr("loss: speech_recognition sums over")));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 16U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_FALSE(one.requested.contains("sequence_length"));
    EXPECT_EQ(one.effective.at("data").at("samples"), 3200);
    EXPECT_GT(first_value(one, "loss"), 0);
    const CaseAnalysis analysis = analyze_case(one);
    const MetricRow* const rate = find_metric(analysis.metrics, "throughput_audio_seconds", "ratio");
    const MetricRow* const sounds = find_metric(analysis.metrics, "throughput_samples", "ratio");
    ASSERT_TRUE(rate != nullptr && sounds != nullptr && rate->value && sounds->value);
    EXPECT_NEAR(*rate->value / *sounds->value, 0.2, 1e-9);
  }
}

TEST_F(Audio, LearnsFilesByTheirClassesAndTranscripts) {
  put_transcripts();
  const auto train = [&](const std::string& options) {
    const ShellResult result = shell(
        "$T train --precision fp32 --dropout off --learning-rate 2e-4 --threads 1 --peaks off --replicates 1 "
        "--warmup 1 --samples 12 --store r.db " +
        options);
    EXPECT_NE(result.exit_code, 3) << result.errors;
    return load().cases.at(0);
  };
  const std::string model = "--model " + source("models/tiny-wav2vec2-stable") + " ";
  for (const char* data : {"--data t.tsv --batch-size 3", "--task audio_classification --data sounds --batch-size 5"}) {
    SCOPED_TRACE(data);
    const CaseRecord one = train(model + data);
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::vector<double> losses = values_of(one, "loss");
    ASSERT_FALSE(losses.empty());
    EXPECT_LT(losses.back(), losses.front());
    const bool is_recognition = one.requested.at("task") == "speech_recognition";
    EXPECT_EQ(one.effective.value("loss", ""), is_recognition ? "ctc_sum" : "");
    EXPECT_THAT(shell("$T show --store r.db --format json").output,
                AllOf(HasSubstr("steps on files do not report"), HasSubstr("only timed")));
  }
  EXPECT_THAT(train("--model wav2vec2-test --data t.tsv").status_reason, HasSubstr("has no vocabulary"));
  EXPECT_THAT(train("--model wav2vec2-test --task audio_embedding").status_reason,
              HasSubstr("audio_embedding cannot be trained"));
}

TEST_F(Audio, IsFineTunedOnTranscriptsAndClasses) {
  put_transcripts();
  const std::string finetune = "$T finetune --threads 1 --learning-rate 1e-4 --batch-size 2 --format json --model " +
                               source("models/tiny-wav2vec2-stable") + " ";
  const auto answer = [&](const std::string& folder, const std::string& options) {
    const ShellResult asked =
        shell("$T predict --model " + folder + "/best --audio " + source("audio/stereo.wav") + options);
    EXPECT_EQ(asked.exit_code, 0) << asked.errors;
    return asked.output;
  };
  const ShellResult said =
      shell(finetune + "--task asr --data t.tsv --evaluation-share 0.34 --steps 4 --output o > summary.json");
  ASSERT_EQ(said.exit_code, 0) << said.errors;
  const Json scored = parse_json("summary", read_file(folder_.path() / "summary.json")).at("last_evaluation");
  EXPECT_EQ(scored.at("headline"), "word_error_rate");
  for (const char* name : {"preprocessor_config.json", "vocab.json", "tokenizer_config.json", "config.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "o/best" / name)) << name;
  }
  EXPECT_THAT(read_file(folder_.path() / "o/best/config.json"), HasSubstr("Wav2Vec2ForCTC"));
  EXPECT_THAT(answer("o", ""), HasSubstr("stereo.wav"));

  const ShellResult told = shell(finetune + "--task audio_classification --data sounds --steps 2 --output c");
  ASSERT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_THAT(answer("c", " --task audio_classification"), HasSubstr("LABEL_"));
  const ShellResult resumed = shell("$T finetune --resume c");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  std::filesystem::copy_file(source("audio/pcm_24.wav"), folder_.path() / "sounds/LABEL_0/more.wav");
  const ShellResult changed = shell("$T finetune --resume c");
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_THAT(changed.errors, HasSubstr("has changed since the fine-tuning started"));

  const auto refused = [&](const std::string& options, const std::string& reason) {
    const ShellResult refusal = shell(finetune + options + " --steps 1 --output p");
    EXPECT_EQ(refusal.exit_code, 3) << options;
    EXPECT_THAT(refusal.errors, HasSubstr(reason)) << options;
  };
  refused("--task asr --data bundled", "a folder or table of sounds");
  refused("--task asr --data sounds", "only a table has transcripts");
  refused("--task asr --data t.tsv --sequence-length 8", "sequence_length only applies to");
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
  refused("run --store r.db --model wav2vec2-test --data sounds", "no such file or folder");
  put_sounds();
  refused("run --store r.db --model wav2vec2-test --data sounds --audio-seconds 3", "audio_seconds only applies to");
  refused("run --store r.db --model wav2vec2-test --data sounds --sequence-length 8", "sequence_length only applies");
  refused("find-max --axis batch_size --model wav2vec2-test --data sounds", "leave --data out");
  folder_.write("ten.csv", "path,label\nsounds/LABEL_0/pcm_16.wav,9\n");
  refused("run --store r.db --task audio_classification --data ten.csv --model " + model, "the model has 5 classes");
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
