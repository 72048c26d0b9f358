package main

import (
	"time"

	"github.com/seed-961d0905/ulid"
	"gorm.io/gorm"
)

// Event has a key of 16 bytes.
type Event struct {
	ID    ulid.AsBinary `gorm:"primaryKey"`
	Note  string
	Items []Item
}

// Item belongs to an event.
type Item struct {
	EventID ulid.AsBinary
	N       int
}

type store struct{ db *gorm.DB }

func (s store) create(note string) (ulid.ULID, error) {
	event := Event{ID: ulid.AsBinary(ulid.Make()), Note: note}
	if err := s.db.Omit("Items").Create(&event).Error; err != nil {
		return ulid.ULID{}, err
	}
	return ulid.ULID(event.ID), s.db.Create(&Item{EventID: event.ID, N: 1}).Error
}

func (s store) get(id ulid.ULID) (Event, error) {
	var event Event
	err := s.db.Preload("Items").Where("id = ?", ulid.AsBinary(id)).First(&event).Error
	return event, err
}

func (s store) list(ids []ulid.ULID) ([]Event, error) {
	var events []Event
	err := s.db.Where("id IN ?", asBinary(ids)).Find(&events).Error
	return events, err
}

// asBinary converts a list for IN.
func asBinary(ids []ulid.ULID) []ulid.AsBinary {
	list := make([]ulid.AsBinary, len(ids))
	for i, id := range ids {
		list[i] = ulid.AsBinary(id)
	}
	return list
}

func (s store) addItem(id ulid.ULID, n int) error {
	return s.db.Exec("INSERT INTO items (event_id, n) VALUES (?, ?)", ulid.AsBinary(id), n).Error
}

func (s store) countItems(id ulid.ULID) (count int64, err error) {
	err = s.db.Model(&Item{}).Joins("JOIN events ON events.id = items.event_id").
		Where("events.id = ?", ulid.AsBinary(id)).Count(&count).Error
	return count, err
}

func (s store) rename(id ulid.ULID, note string) (int64, error) {
	result := s.db.Exec("UPDATE events SET note = ? WHERE id = ?", note, ulid.AsBinary(id))
	return result.RowsAffected, result.Error
}

// purge removes the events before the time of cutoff.
func (s store) purge(cutoff time.Time) (int64, error) {
	var before ulid.ULID
	if err := before.SetTime(ulid.Timestamp(cutoff)); err != nil {
		return 0, err
	}
	if err := s.db.Where("event_id < ?", ulid.AsBinary(before)).Delete(&Item{}).Error; err != nil {
		return 0, err
	}
	result := s.db.Where("id < ?", ulid.AsBinary(before)).Delete(&Event{})
	return result.RowsAffected, result.Error
}

func (s store) remove(id ulid.ULID) (int64, error) {
	if err := s.db.Where("event_id = ?", ulid.AsBinary(id)).Delete(&Item{}).Error; err != nil {
		return 0, err
	}
	result := s.db.Delete(&Event{ID: ulid.AsBinary(id)})
	return result.RowsAffected, result.Error
}
