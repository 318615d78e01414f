"""Who is thirsty? A planner for the plants on a windowsill."""

import argparse
import csv
import datetime
import pathlib
from dataclasses import dataclass

PLANTS = pathlib.Path(__file__).with_name("plants.csv")


@dataclass
class Plant:
    name: str
    days_between: int
    last_watered: datetime.date | None

    def due(self, today):
        """The day on which this plant wants water next."""
        if self.last_watered is None:
            return today
        return self.last_watered + datetime.timedelta(days=self.days_between)

    def days_late(self, today):
        return (today - self.due(today)).days


def read_plants(path=PLANTS):
    plants = []
    with path.open(newline="") as lines:
        for name, days, last in csv.reader(lines):
            date = datetime.date.fromisoformat(last) if last else None
            plants.append(Plant(name, int(days), date))
    return plants


def thirsty(plants, today):
    """Plants that are due, the most neglected first."""
    due = [plant for plant in plants if plant.due(today) <= today]
    return sorted(due, key=lambda plant: plant.days_late(today), reverse=True)


def report(plants, today):
    lines = [f"{today:%A, %d %B}"]
    for plant in thirsty(plants, today):
        lines.append(f"  water the {plant.name} ({plant.days_late(today)} days late)")
    if len(lines) == 1:
        lines.append("  everyone is happy")
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--on", type=datetime.date.fromisoformat, default=datetime.date.today())
    options.add_argument("--week", action="store_true")
    chosen = options.parse_args()
    for offset in range(7 if chosen.week else 1):
        print(report(read_plants(), chosen.on + datetime.timedelta(days=offset)))


if __name__ == "__main__":
    main()
