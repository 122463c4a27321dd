//===-- Scripts.h - programs without a GPU -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs are shell scripts, for which programs/recorder_stand_in.cpp
// records. They know its settings ($mode, $record, ...).
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H
#define BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H

#include "verify/Session.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bankstripe::runtime {

/// A program with one allocation and one launch, in shell text.
struct Script {
  std::string Digest;
  int Nanoseconds = 9;
  std::string Then = "echo result"; ///< What it does last.
  std::string Lines = "";           ///< What it records first.
  std::string Kernel = "_Z4stepPi";

  std::string text() const {
    return "$stand_in record <<END\nmemory 512\n" + Lines + "\nlaunch " +
           Kernel + ' ' + std::to_string(Nanoseconds) + " 0:0:" + Digest +
           "\nEND\n" + Then + "\n";
  }
};

inline std::string program(const std::string &Digest, int Nanoseconds,
                           const std::string &Then = "echo result") {
  return Script{Digest, Nanoseconds, Then}.text();
}

inline const std::string One = "0000000000000001", Two = "0000000000000002";

class Verify : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = testing::TempDir() + "session-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    O.Runs = 2;
    O.First.reset();
    O.TimeoutSeconds = 20;
  }
  void TearDown() override { std::filesystem::remove_all(Folder); }

  VerifyReport run(const std::string &Original, const std::string &Rewritten) {
    O.Original = {write("original", Original), Arguments};
    O.Rewritten = {write("rewritten", Rewritten), Arguments};
    return verify(O, "/no/recorder", [](const std::string &) {});
  }

  /// A survey whose run replaces the first one of the original.
  void surveyOriginal(const std::string &Original) {
    O.RecordedFolder = Folder + "/survey";
    std::filesystem::create_directory(O.RecordedFolder);
    SurveyOptions Asked;
    Asked.Folder = O.RecordedFolder;
    Asked.Kernels = {"_Z4stepPi"};
    Asked.Program = {write("original", Original), {}};
    EXPECT_EQ(survey(Asked, "/no/recorder", [](const std::string &) {}).Problem,
              "");
  }

  std::string write(const std::string &Name, const std::string &Script) {
    std::string Path = Folder + "/" + Name;
    std::ofstream(Path) << "#!/bin/sh\nstand_in=" BANKSTRIPE_STAND_IN
                           "\neval \"$($stand_in settings)\"\n"
                        << Script;
    ::chmod(Path.c_str(), 0755);
    return Path;
  }

  std::string Folder;
  std::vector<std::string> Arguments; ///< Of both programs.
  Options O;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H
